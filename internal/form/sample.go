package form

import (
	"bytes"
	"io"
)

// The samples of a file that its form is detected by: its beginning, further pieces if it can be
// read at any place, and its end.
const (
	headSize    = 128 << 10
	pieceSize   = 32 << 10
	pieces      = 4
	headLines   = 20   // lines that the beginning has at least, unless it is mostHead long
	sampledRows = 3000 // rows of the beginning that are looked at
)

// A sample is decoded text of a file.
type sample struct {
	head   []byte   // its beginning, without the lines that the caller skips
	whole  bool     // head is all of the file
	others [][]byte // pieces of it, from the start of a line
	cut    []bool   // of others: the piece does not end where the file ends
	line   int      // of the first line of head, from 1

	maxColumns int
}

// readHead reads the beginning of a file, and reports whether that is all of it. A table of many
// columns has longer lines than others.
func readHead(r io.Reader, maxColumns int) (head []byte, whole bool, err error) {
	mostHead := min(16<<20, 16*maxColumns) // bytes
	for size := headSize; ; size *= 2 {
		old := len(head)
		head = append(head, make([]byte, size-old)...)
		n, err := readAtLeast(r, head[old:], size-old)
		head = head[:old+n]
		if err == io.EOF {
			return head, true, nil
		}
		if err != nil || size >= mostHead || countLines(head) >= headLines {
			return head, false, err
		}
	}
}

// readPieces reads samples behind the head of a file. Without a way to read them there are none:
// errors are left to whoever reads the file itself.
func readPieces(at io.ReaderAt, head int, size int64) (raw [][]byte, last bool) {
	if at == nil || size <= int64(head) {
		return nil, false
	}
	step := (size - int64(head) - pieceSize) / pieces
	for i := range int64(pieces) {
		from := (int64(head) + (i+1)*step) &^ 1
		if step < pieceSize {
			if i < pieces-1 {
				continue
			}
			from = max(int64(head), size-pieceSize) &^ 1
		}
		piece := make([]byte, pieceSize+2*pieces)
		n, err := at.ReadAt(piece[:min(int64(len(piece)), size-from)], from)
		if err != nil && err != io.EOF {
			return raw, false
		}
		raw, last = append(raw, piece[:n]), i == pieces-1
	}
	return raw, last
}

// newSample decodes the samples of a file.
func newSample(head []byte, whole bool, raw [][]byte, last bool, e encoding) *sample {
	s := &sample{head: e.decode(head[e.mark:]), whole: whole, line: 1}
	for i, r := range raw {
		text := e.decode(r)
		start := bytes.IndexAny(text, "\r\n")
		if start < 0 {
			continue
		}
		s.others = append(s.others, bytes.TrimLeft(text[start:], "\r\n"))
		s.cut = append(s.cut, !(last && i == len(raw)-1))
	}
	return s
}

// skip leaves out the first lines of the head.
func (s *sample) skip(lines int) {
	in := scanSample(s.head, false)
	if in.skip(lines) == nil {
		if _, err := in.lineEnd(); err == nil { // a newline behind a carriage return is behind it too
			s.head, s.line = s.head[in.pos:], s.line+lines
			return
		}
	}
	s.head = nil
}

// A sampled has the rows of the samples under a dialect.
type sampled struct {
	rows     [][]string
	lines    []int // of the rows of the head; 0 for those of other pieces
	err      error // of the head, other than io.EOF
	unclosed int   // rows of the head with quotes that do not close where they should
}

// rows returns the rows of the samples, without rows of empty cells.
func (s *sample) rows(d dialect) *sampled {
	t := new(sampled)
	for i := -1; i < len(s.others); i++ {
		in, line := scanSample(s.head, !s.whole), s.line-1
		if i >= 0 {
			in = scanSample(s.others[i], s.cut[i])
		}
		in.set(d.separator, d.quote, d.comment)
		in.maxColumns = s.maxColumns
		for len(t.rows) < sampledRows || i >= 0 {
			cells, err := in.next()
			if err != nil && i < 0 && err != io.EOF {
				t.err = err
			}
			if err != nil {
				break
			}
			if isEmpty(cells) {
				continue
			}
			t.rows = append(t.rows, append([]string(nil), cells...))
			if i >= 0 {
				line = -in.rowLine
			}
			t.lines = append(t.lines, line+in.rowLine)
		}
		if i < 0 {
			t.unclosed = in.openings.count
		}
	}
	return t
}

// isEmpty reports whether no cell has anything in it.
func isEmpty(cells []string) bool {
	for _, c := range cells {
		if c != "" {
			return false
		}
	}
	return true
}
