package form

import (
	"bytes"
	"io"
)

const (
	headSize    = 128 << 10 // least bytes of the beginning of a longer file
	pieceSize   = 32 << 10  // approximate bytes of a further piece
	pieces      = 4         // most further pieces
	headLines   = 20        // lines that the beginning should have
	sampledRows = 3000      // largest number of rows sampled from the beginning
)

type sample struct {
	head   []byte // start of the file, without skipped lines
	whole  bool
	others [][]byte // further pieces, each from the start of a line
	cut    []bool   // whether text follows each of others
	line   int      // line number of the start of head, from 1

	maxColumns int
}

// readHead reads the beginning of a file: headSize bytes, or more if these have fewer than
// headLines lines. whole reports whether head is the whole file.
func readHead(r io.Reader, maxColumns int) (head []byte, whole bool, err error) {
	enough := min(16<<20, 16*maxColumns) // from this size on, fewer lines will do
	for size := headSize; ; size *= 2 {
		old := len(head)
		head = append(head, make([]byte, size-old)...)
		n, err := readAtLeast(r, head[old:], size-old)
		head = head[:old+n]
		if err == io.EOF {
			return head, true, nil
		}
		if err != nil || size >= enough || countLines(head) >= headLines {
			return head, false, err
		}
	}
}

// readPieces reads samples of a file after the first head bytes. last reports whether the samples
// reach the file's end.
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

func (s *sample) skip(lines int) {
	in := scanSample(s.head, false)
	if in.skip(lines) == nil {
		if _, err := in.lineEnd(); err == nil { // lineEnd skips a newline after a carriage return
			s.head, s.line = s.head[in.pos:], s.line+lines
			return
		}
	}
	s.head = nil
}
