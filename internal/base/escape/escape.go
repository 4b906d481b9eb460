// Package escape makes names of classes, columns and files safe to print: control characters could
// end a line or control a terminal.
package escape

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Name returns a printable name unchanged, and others quoted as in Go. It also quotes empty names
// and names that begin with a quote, so that different names give different results.
func Name(name string) string {
	if name == "" || name[0] == '"' || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, isHidden) {
		return strconv.Quote(name)
	}
	return name
}

func Names(names []string) []string {
	if names == nil {
		return nil
	}
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = Name(name)
	}
	return shown
}

func isHidden(r rune) bool { return !strconv.IsPrint(r) }

// Text returns text with its unprintable characters, including newlines, escaped as in Go.
func Text(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isHidden) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if part := text[:size]; isHidden(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.Quote(part)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(part)
		}
		text = text[size:]
	}
	return b.String()
}

// Cut returns a copy of a word. Of a word longer than 40 bytes, it returns the whole characters in
// the first 40 and "...".
func Cut[T string | []byte](word T) string {
	const most = 40
	if len(word) <= most {
		return string([]byte(word))
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(word[end]) {
		end--
	}
	return string(word[:end]) + "..."
}

// Error returns err with its text escaped by Text and, beyond 260 bytes, without the middle.
// errors.Is and errors.As find err.
func Error(err error) error {
	if err == nil {
		return nil
	}
	const begin, end = 200, 60
	text := Text(err.Error())
	if len(text) > begin+end {
		text = strings.ToValidUTF8(text[:begin], "") + "..." +
			strings.ToValidUTF8(text[len(text)-end:], "")
	}
	if text == err.Error() {
		return err
	}
	return &escapedError{err, text}
}

type escapedError struct {
	err  error
	text string
}

func (s *escapedError) Error() string { return s.text }
func (s *escapedError) Unwrap() error { return s.err }

// JSON escapes the unprintable characters in the strings of text, some of which encoding/json
// leaves. text must be valid JSON without tabs and carriage returns. Newlines between values
// remain.
func JSON(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && isHidden(r) }
	if !bytes.ContainsFunc(text, hidden) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff: // as a surrogate pair
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}
