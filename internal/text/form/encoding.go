package form

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	utf8Name        = "utf-8"
	utf16LittleName = "utf-16le"
	utf16BigName    = "utf-16be"
	windows1252Name = "windows-1252"
)

// Encodings lists the names of encodings that messages recommend.
var Encodings = []string{utf8Name, "utf-16", utf16LittleName, utf16BigName, windows1252Name,
	"iso-8859-1", "latin1"}

type encoding struct {
	name  string
	mark  int  // bytes of the byte order mark; 0 for none
	mends bool // whether bytes that are not UTF-8 become U+FFFD; true if utf-8 is given
}

var byteOrderMarks = []struct{ mark, name string }{
	{"\xef\xbb\xbf", utf8Name}, {"\xff\xfe", utf16LittleName}, {"\xfe\xff", utf16BigName},
}

// encodingNamed returns the encoding called name. It finds the byte order of utf-16, and a byte
// order mark, in head, the file's start.
func encodingNamed(name string, head []byte) (encoding, error) {
	e := encoding{}
	switch strings.ReplaceAll(strings.ToLower(name), "_", "-") {
	case "utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii":
		e.name, e.mends = utf8Name, true
	case "utf-16", "utf16":
		if e.name = utf16LittleName; bytes.HasPrefix(head, []byte("\xfe\xff")) ||
			utf16Of(head) == utf16BigName {
			e.name = utf16BigName
		}
	case "utf-16le", "utf-16-le", "utf16le":
		e.name = utf16LittleName
	case "utf-16be", "utf-16-be", "utf16be":
		e.name = utf16BigName
	case windows1252Name, "cp1252", "latin-1", "latin1", "iso-8859-1", "iso8859-1":
		e.name = windows1252Name
	default:
		return e, fmt.Errorf("encoding %q: want one of %s; iconv converts others", name,
			strings.Join(Encodings, ", "))
	}
	for _, m := range byteOrderMarks {
		if m.name == e.name && bytes.HasPrefix(head, []byte(m.mark)) {
			e.mark = len(m.mark)
		}
	}
	return e, nil
}

// detectEncoding detects a file's encoding. The first of samples begins the file; samples may start
// or end within a character. doubt reports bytes that are not UTF-8.
func detectEncoding(samples [][]byte) (e encoding, doubt *Doubt) {
	head := samples[0]
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			e = encoding{name: m.name, mark: len(m.mark)}
		}
	}
	if e.name = cmp.Or(e.name, utf16Of(head), utf8Name); e.name != utf8Name {
		return e, nil
	}
	var bad, characters int
	at := -1 // first byte of samples[0] that is not UTF-8; -1 for none
	for i, s := range samples {
		b, c, first := countUTF8(s, i > 0)
		if bad, characters = bad+b, characters+c; i == 0 {
			at = first
		}
	}
	if bad == 0 {
		return e, nil
	}
	d := &Doubt{About: "encoding"}
	if at >= 0 {
		d.Line = 1 + countLines(head[:at])
		d.Cell = string(decodeWindows1252(nil, wordAround(head, at)))
	}
	if e.mends = characters >= 4*bad; e.mends {
		d.Text, d.Cell = "bytes that are not UTF-8 are read as the character U+FFFD", ""
	} else {
		e = encoding{name: windows1252Name}
		d.Text = "the file is not UTF-8 and is read as windows-1252"
	}
	d.Flag = "if that is right, -encoding " + e.name
	return e, d
}

// countUTF8 returns the numbers of bytes that are not UTF-8 and of characters of more than one
// byte, and the index of the first bad byte, or -1. It ignores an incomplete character at the end
// of s and, if startCut is set, continuation bytes at the beginning, which the index does not
// count.
func countUTF8(s []byte, startCut bool) (bad, characters, first int) {
	first = -1
	for startCut && len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r != utf8.RuneError || size > 1:
			characters++
		case !utf8.FullRune(s[i:]):
			return bad, characters, first
		default:
			if bad++; first < 0 {
				first = i
			}
		}
		i += size
	}
	return bad, characters, first
}

func wordAround(text []byte, at int) []byte {
	is := func(c byte) bool { return c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z' }
	from, to := at, at
	for from > 0 && at-from < 20 && is(text[from-1]) {
		from--
	}
	for to < len(text) && to-at < 20 && is(text[to]) {
		to++
	}
	return text[from:to]
}

// utf16Of guesses which UTF-16 encoding text without a byte order mark has, if any: newlines,
// separators and digits have a zero byte, at even positions if the text is big-endian, else at odd
// positions.
func utf16Of(text []byte) string {
	// Zero bytes at even and odd positions; wide counts those beside a line end's byte.
	var zeros, wide [2]int
	newlines := 0
	for i, c := range text {
		if c == 0 {
			zeros[i&1]++
		}
		if c == '\n' || c == '\r' {
			newlines++
			if j := i ^ 1; j < len(text) && text[j] == 0 {
				wide[j&1]++
			}
		}
	}
	for place, name := range []string{utf16BigName, utf16LittleName} {
		if z := zeros[place]; z > 0 && 20*zeros[1-place] <= z &&
			(2*wide[place] > newlines || newlines == 0 && 5*z >= len(text)) {
			return name
		}
	}
	return ""
}

// controlAt returns the index of the first zero byte in the start of a decoded file or, unless the
// encoding is UTF-8, of the first control character except white space; -1 for none.
func controlAt(decoded []byte, name string) int {
	return bytes.IndexFunc(decoded[:min(len(decoded), 512)], func(c rune) bool {
		return c == 0 || name != utf8Name &&
			(c < ' ' && !unicode.IsSpace(c) || c >= 0x7f && c < 0xa0 && c != 0x85)
	})
}

func (e encoding) decode(sample []byte) []byte {
	d := decoder{encoding: e}
	out, _, _ := d.step(make([]byte, 0, len(sample)+len(sample)/8), sample, false)
	return out
}

type decoder struct {
	encoding
	src      io.Reader
	raw      []byte
	out      []byte
	at       int // bytes of out that Read has returned
	err      error
	replaced int // invalid bytes of UTF-8, or units of UTF-16, that became U+FFFD
}

var errNotUTF8 = errors.New("a byte that is not UTF-8: name the file's encoding, " +
	"-encoding windows-1252 for instance, or -encoding utf-8, which reads such bytes as the " +
	"character U+FFFD")

const decoderChunk = 1 << 16

func (d *decoder) Read(p []byte) (int, error) {
	for d.at == len(d.out) {
		if d.err != nil {
			return 0, d.err
		}
		if d.name == utf8Name && len(p) >= 2*utf8.UTFMax {
			if n := d.readUTF8(p); n > 0 {
				return n, nil
			}
			continue
		}
		kept := len(d.raw)
		if cap(d.raw) < decoderChunk+utf8.UTFMax {
			d.raw = append(make([]byte, 0, decoderChunk+utf8.UTFMax), d.raw...)
		}
		n, err := d.src.Read(d.raw[kept : kept+decoderChunk])
		d.raw = d.raw[:kept+n]
		out, used, bad := d.step(d.out[:0], d.raw, err == io.EOF)
		d.out, d.at = out, 0
		d.raw = d.raw[:copy(d.raw, d.raw[used:])]
		if d.err = err; bad != nil {
			d.err = bad
		}
	}
	n := copy(p, d.out[d.at:])
	d.at += n
	return n, nil
}

// readUTF8 reads UTF-8 text into p, without another copy, and returns its length. After 0, Read
// must go on: there may be text in d.out, or an error.
func (d *decoder) readUTF8(p []byte) int {
	kept := copy(p, d.raw)
	n, err := d.src.Read(p[kept:])
	text := p[:kept+n]
	d.raw, d.out, d.at, d.err = d.raw[:0], d.out[:0], 0, err
	if err != io.EOF {
		whole := len(text) - incomplete(text)
		d.raw, text = append(d.raw, text[whole:]...), text[:whole]
	}
	if utf8.Valid(text) {
		return len(text)
	}
	out, _, bad := d.step(d.out, text, true)
	d.out = out
	if bad != nil {
		d.err = bad
	}
	return 0
}

func incomplete(text []byte) int {
	for n := 1; n < min(utf8.UTFMax, len(text)+1); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// step appends the decoded text of raw to out, and returns the number of bytes decoded. Unless end
// says that no bytes follow, step leaves an incomplete character at the end of raw.
func (d *decoder) step(out, raw []byte, end bool) (text []byte, used int, err error) {
	switch d.name {
	case windows1252Name:
		return decodeWindows1252(out, raw), len(raw), nil
	case utf16LittleName, utf16BigName:
		out, used = d.decodeUTF16(out, raw, end)
		return out, used, nil
	}
	if utf8.Valid(raw) {
		return append(out, raw...), len(raw), nil
	}
	for used < len(raw) {
		r, size := utf8.DecodeRune(raw[used:])
		if r != utf8.RuneError || size > 1 {
			out = append(out, raw[used:used+size]...)
			used += size
			continue
		}
		if !end && !utf8.FullRune(raw[used:]) {
			break
		}
		if !d.mends {
			return out, used, errNotUTF8
		}
		d.replaced++
		out = utf8.AppendRune(out, utf8.RuneError)
		used++
	}
	return out, used, nil
}

func (d *decoder) decodeUTF16(out, raw []byte, end bool) (text []byte, used int) {
	low, high := 0, 1
	if d.name == utf16BigName {
		low, high = 1, 0
	}
	unit := func(i int) rune { return rune(raw[i+low]) | rune(raw[i+high])<<8 }
	for used+2 <= len(raw) {
		r, size := unit(used), 2
		if utf16.IsSurrogate(r) {
			if used+4 > len(raw) && !end {
				break
			}
			second := rune(0)
			if used+4 <= len(raw) {
				second = unit(used + 2)
			}
			if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
				size = 4
			} else {
				d.replaced++
			}
		}
		out = utf8.AppendRune(out, r)
		used += size
	}
	if end && used < len(raw) {
		d.replaced++
		out, used = utf8.AppendRune(out, utf8.RuneError), len(raw)
	}
	return out, used
}

// windows1252 has the characters of the bytes from 0x80 to 0x9f. Five bytes without a character are
// the control characters of the same numbers.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

func decodeWindows1252(out, raw []byte) []byte {
	for _, c := range raw {
		switch {
		case c < utf8.RuneSelf:
			out = append(out, c)
		case c < 0xa0:
			out = utf8.AppendRune(out, windows1252[c-0x80])
		default:
			out = utf8.AppendRune(out, rune(c))
		}
	}
	return out
}

// countLines returns the number of line ends in text: newlines, carriage returns, or both together.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'}) + bytes.Count(text, []byte{'\r'})
	if n > 0 {
		n -= bytes.Count(text, []byte("\r\n"))
	}
	return n
}
