package form

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

var seeds = []string{
	"", "\n", "a,b\n1,2\n", "sep=;\na;b\n1;2\n", "\"a\n\"\"b\",c\r\n1,2", "# x\n# y\na\tb\n1\t2\n",
	"Title\n\na;b;c\n1,5;2;x\n", "ham\tsee you at home\nspam\twin a big prize\n", "{\"a\":1}\n{\"b\":null}\n",
	"\xff\xfea\x00,\x00b\x00\n\x00", "\xef\xbb\xbfa|b\n1|2\n", "caf\xe9,b\n1,2\n", "\"a,b\n1,2\n\"c,d\n",
	"a,b,c\nkg,m,s\n1,2,3\n4,5,6\n", "0,1,2,3\n.5,.5,.5,.5\n", ",,\n,,\n", "\"\",\"\"\n\"\"\n", "a\rb\r\nc\n\rd",
}

func FuzzEncoding(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, given uint8) {
		e, _ := detectEncoding([][]byte{text})
		if given > 0 {
			names := []string{"utf-8", "utf-16", "utf-16le", "utf-16be", "latin1"}
			e, _ = encodingNamed(names[int(given)%len(names)], text)
		}
		d := &decoder{encoding: e, src: &dribble{text[e.mark:], 3}}
		got, err := io.ReadAll(d)
		whole := &decoder{encoding: e}
		want, _, bad := whole.step(nil, text[e.mark:], true)
		if !bytes.Equal(got, want) || err != bad || !utf8.Valid(got) {
			t.Errorf("%+v: %q, %v, want %q, %v", e, got, err, want, bad)
		}
	})
}

type dribble struct {
	text []byte
	size int
}

func (p *dribble) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, err := scanAll(scanSample(bytes.Clone(text), false))
		if err != nil {
			t.Fatal(err)
		}
		s := newScanner(&dribble{text, 2})
		s.least = 4
		got, err := scanAll(s)
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("in pieces %q, %v, want %q", got, err, want)
		}
		if rows := csvRows(text); rows != nil && rfc4180(text) &&
			fmt.Sprintf("%q", rows) != fmt.Sprintf("%q", want) {
			t.Errorf("%q, encoding/csv has %q", want, rows)
		}
	})
}

// rfc4180 reports whether text has no carriage return except before a newline, no line of blanks
// and no quote after a blank: encoding/csv reads these in another way.
func rfc4180(text []byte) bool {
	lone := bytes.Count(text, []byte("\r")) != bytes.Count(text, []byte("\r\n"))
	if lone || bytes.Contains(text, []byte("\r\r")) {
		return false
	}
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) > 0 && len(bytes.TrimSpace(line)) == 0 && string(line) != "\r" {
			return false
		}
	}
	return !bytes.Contains(text, []byte(` "`))
}

// In a table without a header, Read returns each row, or a count or a doubt covers the row.
func FuzzReader(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, how uint8) {
		yes := how&1 > 0
		for _, g := range []Given{{}, {Keep: true, Columns: 1 + int(how>>4)}, {Format: TSV, Header: &yes},
			{Names: []string{"a", "b"}, Label: "y", Columns: 2, Keep: true}, {SkipLines: int(how & 3)}} {
			r, err := Open(bytes.NewReader(text), bytes.NewReader(text), int64(len(text)), g)
			if err != nil {
				continue
			}
			n := 0
			for err == nil {
				var cells []string
				if cells, err = r.Read(); err != nil {
					break
				}
				n++
				if len(cells) != r.Form().Columns && r.json == nil || r.names != nil && len(cells) != len(r.names) {
					t.Fatalf("%d cells, names %q, %+v", len(cells), r.names, r.Form())
				}
				for i := range cells {
					if line, column := r.FieldPos(i); line < 1 || column < 0 {
						t.Fatalf("cell at %d:%d", line, column)
					}
				}
			}
			if err != io.EOF || r.scanner == nil {
				continue
			}
			all := 0
			in := newScanner(&decoder{encoding: r.decoder.encoding, src: bytes.NewReader(text[r.decoder.mark:])})
			in.set(r.form.Separator, r.form.Quote, r.form.Comment)
			in.blanks = r.scanner.blanks
			in.skip(r.form.SkipLines)
			for _, err := in.next(); err == nil; _, err = in.next() {
				all++
			}
			told := r.empty.count + r.repeated.count
			if !r.keep {
				told += r.ragged.count
			}
			if r.form.Header {
				told++
			}
			if r.form.Units {
				told++
			}
			if n+told < all && !strings.Contains(fmt.Sprint(r.Doubts()), "rows") && r.names == nil {
				t.Errorf("%d rows of %d, %d told: %+v", n, all, told, r.Form())
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range append(seeds, `{"a":"\u00e9\"","b":[1]}`, `{"a":1,"a":2}`, `{"":-0.5e7 , "b" : false}`) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Open(strings.NewReader(text), nil, -1, Given{Format: JSONL})
		for err == nil {
			var cells []string
			if cells, err = r.Read(); err == nil && len(cells) != len(r.Names()) {
				t.Errorf("%d cells of %d", len(cells), len(r.Names()))
			}
		}
	})
}
