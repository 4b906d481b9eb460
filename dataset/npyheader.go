package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

const maxNPYHeader = 1 << 16 // bytes; NumPy refuses more than 10,000 by default

type npyArray struct {
	kind       byte // f, i, u or b, as in NumPy's types
	width      int  // bytes
	order      binary.ByteOrder
	fortran    bool
	rows, cols int // first dimension, product of the others
	label      int // column of the labels; -1 for none
}

func readNPYHeader(f openFile) (*npyArray, error) {
	var head [12]byte
	if _, err := io.ReadFull(f.r, head[:10]); err != nil {
		return nil, short(err)
	}
	if string(head[:6]) != "\x93NUMPY" {
		return nil, fmt.Errorf("starts with % x: not an .npy file", head[:6])
	}
	if head[6] < 1 || head[6] > 3 || head[7] != 0 {
		return nil, fmt.Errorf("version %d.%d of the format: want 1.0, 2.0 or 3.0",
			head[6], head[7])
	}
	length, start := int64(binary.LittleEndian.Uint16(head[8:])), int64(10)
	if head[6] > 1 {
		if _, err := io.ReadFull(f.r, head[10:]); err != nil {
			return nil, short(err)
		}
		length, start = int64(binary.LittleEndian.Uint32(head[8:])), 12
	}
	if length > maxNPYHeader {
		return nil, fmt.Errorf("a header of %d bytes: want at most %d", length, maxNPYHeader)
	}
	if f.size >= 0 && length > f.size-start {
		return nil, short(io.ErrUnexpectedEOF)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(f.r, text); err != nil {
		return nil, short(err)
	}
	a, err := parseNPYHeader(string(text))
	if err != nil {
		return nil, err
	}
	want, got := int64(a.rows)*int64(a.cols)*int64(a.width), f.size-start-length
	if f.size >= 0 && want != got {
		return nil, fmt.Errorf("%s of data where the header says %d", plural.Count(got, "byte"), want)
	}
	return a, nil
}

// parseNPYHeader parses a header, a Python dictionary such as
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
func parseNPYHeader(text string) (*npyArray, error) {
	p := literal{rest: text}
	a := &npyArray{label: -1}
	known := map[string]bool{}
	p.want("{")
	for !p.bad && !p.has("}") {
		key := p.string()
		p.want(":")
		if known[key] {
			return nil, fmt.Errorf("header has %q twice", escape.Cut(key))
		}
		known[key] = true
		switch key {
		case "descr":
			if p.peek("[") {
				return nil, fmt.Errorf("elements are records: want an array of numbers")
			}
			if err := a.parseType(p.string()); err != nil && !p.bad {
				return nil, err
			}
		case "fortran_order":
			a.fortran = p.has("True")
			if !a.fortran {
				p.want("False")
			}
		case "shape":
			if err := a.parseShape(p.tuple()); err != nil && !p.bad {
				return nil, err
			}
		default:
			p.bad = true
		}
		if !p.has(",") {
			p.want("}")
			break
		}
	}
	if p.bad || len(known) != 3 || strings.Trim(p.rest, " \n") != "" {
		return nil, fmt.Errorf("header %q: want a valid descr, fortran_order and shape, and nothing else",
			escape.Cut(strings.TrimRight(text, " \n")))
	}
	return a, nil
}

func (a *npyArray) parseType(s string) error {
	a.order = binary.LittleEndian
	rest := s
	if s != "" {
		switch s[0] {
		case '>':
			a.order = binary.BigEndian
			rest = s[1:]
		case '<', '|':
			rest = s[1:]
		}
	}
	switch rest {
	case "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1":
		a.kind, a.width = rest[0], int(rest[1]-'0')
		return nil
	}
	if strings.HasPrefix(rest, "O") {
		return fmt.Errorf("elements are Python objects, which are not read: " +
			"save an array of numbers")
	}
	return fmt.Errorf("elements of type %q: want f2, f4, f8, integers or b1", escape.Cut(s))
}

func (a *npyArray) parseShape(dims []uint64) error {
	if len(dims) == 0 {
		return fmt.Errorf("an array without dimensions: want one or more")
	}
	rows, cols, ok := shapeOf(dims, math.MaxInt/8) // an element takes at most 8 bytes
	if !ok {
		return fmt.Errorf("shape %v: too large", dims)
	}
	a.rows, a.cols = rows, cols
	return nil
}

// A literal parses a Python literal. After an error bad remains true.
type literal struct {
	rest string
	bad  bool
}

func (p *literal) skip() { p.rest = strings.TrimLeft(p.rest, " \n") }

func (p *literal) peek(token string) bool {
	p.skip()
	return !p.bad && strings.HasPrefix(p.rest, token)
}

func (p *literal) has(token string) bool {
	if !p.peek(token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *literal) want(token string) {
	if !p.has(token) {
		p.bad = true
	}
}

func (p *literal) string() string {
	for _, quote := range []string{"'", `"`} {
		if p.has(quote) {
			s, rest, ok := strings.Cut(p.rest, quote)
			if !ok || strings.Contains(s, `\`) {
				break
			}
			p.rest = rest
			return s
		}
	}
	p.bad = true
	return ""
}

// tuple parses whole numbers in parentheses. Python 2 may have written an L after each number.
func (p *literal) tuple() (dims []uint64) {
	p.want("(")
	for !p.bad && !p.has(")") {
		p.skip()
		end := 0
		for end < len(p.rest) && p.rest[end]-'0' < 10 {
			end++
		}
		d, err := strconv.ParseUint(p.rest[:end], 10, 64)
		if err != nil || len(dims) == 32 {
			p.bad = true
			return nil
		}
		dims = append(dims, d)
		p.rest = strings.TrimPrefix(p.rest[end:], "L")
		if !p.has(",") {
			if p.want(")"); len(dims) == 1 {
				p.bad = true // Python takes a number in parentheses for a number, not a tuple
			}
			break
		}
	}
	return dims
}
