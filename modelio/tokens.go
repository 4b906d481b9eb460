package modelio

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
)

const maxToken = 128 // in bytes

type tokens struct {
	r            *modelfile.Source
	line, column int // place of the next byte: the line from 1, the column from 0
	text         string
	unended      bool // whether the text ends right after the token
	at           SyntaxError
}

// next reads the next token into t.text. At the end of the text it returns io.EOF.
func (t *tokens) next() error {
	var buf [maxToken]byte
	n := 0
	for {
		c, err := t.r.ReadByte()
		if err != nil {
			if err == io.EOF && n > 0 {
				t.unended = true
				break
			}
			t.at = SyntaxError{Line: t.line, Column: t.column + 1}
			return err
		}
		t.column++
		if c == ' ' || c >= '\t' && c <= '\r' {
			if c == '\n' {
				t.line, t.column = t.line+1, 0
			}
			if n > 0 {
				break
			}
			continue
		}
		if n == 0 {
			t.at = SyntaxError{Line: t.line, Column: t.column}
		}
		if n == maxToken {
			return t.fail("%.20q... is too long: want up to %d bytes", buf[:], maxToken)
		}
		buf[n] = c
		n++
	}
	t.text = string(buf[:n])
	return nil
}

func (t *tokens) fail(format string, a ...any) error {
	e := t.at
	e.Reason = escape.Error(fmt.Errorf(format, a...)).Error()
	return &e
}

func (t *tokens) ended(err error) error {
	if err == io.EOF {
		return t.fail("the text ends too early: the file may be cut short")
	}
	return err
}

func (t *tokens) number(what string) (float64, error) {
	if err := t.next(); err != nil {
		return 0, t.ended(err)
	}
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil || strings.Trim(t.text, "+-.eE0123456789") != "" {
		return 0, t.fail("%s: %q is not a decimal number in the range of float64", what, t.text)
	}
	return v, nil
}

func (t *tokens) integer(what string) (int, error) {
	if err := t.next(); err != nil {
		return 0, t.ended(err)
	}
	v, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil || v < math.MinInt32 || v > math.MaxInt32 {
		return 0, t.fail("%s: %q is not a whole number of 32 bits in digits", what, t.text)
	}
	return int(v), nil
}
