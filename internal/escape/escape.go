// Package escape keeps what names of classes, columns and files may hold from whoever reads them:
// control characters could end a line, or take hold of a terminal.
package escape

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Name returns a name as it is if all of it can be seen, and else in Go's quotes. So is one that is
// empty or begins with a quote, so that different names never look the same.
func Name(name string) string {
	if name == "" || name[0] == '"' || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, isHidden) {
		return strconv.Quote(name)
	}
	return name
}

// Names returns each of the names as Name does, nil for nil.
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

// Text returns a sentence in which what can't be seen, new lines too, is escaped as in Go.
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

// Cut keeps a word of a file short enough for a message, which quotes it.
func Cut[T string | []byte](word T) string {
	const most = 40
	if len(word) <= most {
		return string(word)
	}
	end := most // in front of a whole character
	for end > most-utf8.UTFMax && !utf8.RuneStart(word[end]) {
		end--
	}
	return string(word[:end]) + "..."
}

// Error returns err with a text that fits a line of a message, whatever a file's words have put in
// it: as Text has it, without the middle of a long one. errors.Is and errors.As find err.
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
	return &shown{err, text}
}

type shown struct {
	err  error
	text string
}

func (s *shown) Error() string { return s.text }
func (s *shown) Unwrap() error { return s.err }

// JSON returns valid JSON with what can't be seen in its strings escaped, of which encoding/json
// leaves some. Between its values there may be new lines.
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
		case r > 0xffff: // as a pair
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}
