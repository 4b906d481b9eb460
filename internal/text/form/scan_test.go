package form

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func scanAll(s *scanner) (rows [][]string, err error) {
	s.set(',', '"', None)
	for {
		cells, err := s.next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, slices.Clone(cells))
		for i, c := range cells {
			rows[len(rows)-1][i] = strings.Clone(c)
		}
	}
}

func csvRows(text []byte) [][]string {
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil
	}
	for _, row := range rows {
		for i, c := range row {
			row[i] = strings.TrimSpace(c)
		}
	}
	return rows
}

func wellFormed(rng *rand.Rand) []byte {
	var b bytes.Buffer
	cells := []string{"a", "", "12.5", "x y", "p,q", `say "hi"`, "two\nlines", `"`, `",`, "ü", `""`, ",\n\""}
	newline := []string{"\n", "\r\n"}[rng.IntN(2)]
	for range 1 + rng.IntN(20) {
		for j := range 1 + rng.IntN(5) {
			if j > 0 {
				b.WriteByte(',')
			}
			c := cells[rng.IntN(len(cells))]
			if strings.ContainsAny(c, "\",\n") || rng.IntN(4) == 0 {
				c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
			b.WriteString(c)
		}
		b.WriteString(newline)
	}
	return b.Bytes()
}

func TestWellFormed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := wellFormed(rng)
		want := csvRows(text)
		pieces := newScanner(iotest.OneByteReader(bytes.NewReader(text)))
		pieces.least = 4
		for _, s := range []*scanner{newScanner(bytes.NewReader(text)), scanSample(text, false), pieces} {
			got, err := scanAll(s)
			if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
				t.Fatalf("%q:\n%q, %v, want\n%q", text, got, err, want)
			}
		}
	}
}

func TestScanErrors(t *testing.T) {
	s := newScanner(strings.NewReader("1,2\n" + strings.Repeat(",", 20) + "\n"))
	s.maxColumns = 10
	if _, err := scanAll(s); err == nil || err.Error() !=
		"line 2: more than 10 columns, beyond the limit (-max-features)" {
		t.Error(err)
	}
	s = newScanner(strings.NewReader("1,2\n\"1\"" + strings.Repeat(",", 20) + "\n"))
	s.maxColumns = 10
	if _, err := scanAll(s); err == nil || err.Error() !=
		"line 2: more than 10 columns, beyond the limit (-max-features)" {
		t.Error(err)
	}
	// A compressed file that ends too early is an error.
	for _, text := range []string{"", "1,2\n3,4", table("", 40000, plain(","))} {
		cut := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
		r, err := Open(cut, nil, -1, Given{})
		for err == nil {
			_, err = r.Read()
		}
		if err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

func TestOpenQuotes(t *testing.T) {
	for _, row := range []string{`"a,""b` + "\n", `"a,1` + "\n", "1,\"x\"\"y\n"} {
		text := strings.Repeat(row, 20000)
		rows, err := scanAll(newScanner(strings.NewReader(text)))
		if err != nil || len(rows) != 20000 {
			t.Errorf("%q: %d rows, %v", row, len(rows), err)
		}
	}
}

func numbers() []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	for range 20000 {
		for j := range 20 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%.4f", rng.NormFloat64()*50)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func BenchmarkScan(b *testing.B) {
	plain := numbers()
	quoted := bytes.ReplaceAll(bytes.ReplaceAll(plain, []byte(","), []byte(`","`)), []byte("\n"), []byte("\"\n\""))
	quoted = append([]byte{'"'}, quoted[:len(quoted)-1]...)
	for name, text := range map[string][]byte{"plain": plain, "quoted": quoted} {
		b.Run("reader=csv/text="+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := csv.NewReader(bytes.NewReader(text))
				r.ReuseRecord, r.TrimLeadingSpace = true, true
				for {
					if _, err := r.Read(); err != nil {
						break
					}
				}
			}
		})
		b.Run("reader=form/text="+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r, err := Open(bytes.NewReader(text), bytes.NewReader(text), int64(len(text)), Given{})
				for err == nil {
					_, err = r.Read()
				}
				if err != io.EOF {
					b.Fatal(err)
				}
			}
		})
		b.Run("reader=scanner/text="+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := newScanner(bytes.NewReader(text))
				s.set(',', '"', None)
				for {
					if _, err := s.next(); err != nil {
						break
					}
				}
			}
		})
	}
}
