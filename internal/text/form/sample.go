package form

import (
	"bytes"
	"io"
)

// The sizes of the samples from which the form of a file is detected: its beginning and,
// if the file can be read at any position, further pieces, the last of which is its end.
const (
	headSize    = 128 << 10 // least number of bytes in the beginning, unless the file is shorter
	pieceSize   = 32 << 10  // approximate number of bytes in a further piece
	pieces      = 4         // largest number of further pieces
	headLines   = 20        // least number of lines in the beginning; see readHead for exceptions
	sampledRows = 3000      // largest number of rows sampled from the beginning
)

// sample is decoded parts of the text of a file.
type sample struct {
	head   []byte   // the beginning of the file, without skipped lines
	whole  bool     // whether head reaches the end of the file
	others [][]byte // further pieces of the file, each from the start of a line
	cut    []bool   // for each of others, whether the piece ends before the end of the file
	line   int      // line number of the start of head, from 1

	maxColumns int
}

// readHead reads the beginning of a file, and reports whether that is the whole file. It reads
// headSize bytes. If they have fewer than headLines lines, as in a table of many columns, it
// doubles their number until they have headLines lines, or are at least 16 MiB or 16 for each of
// maxColumns columns.
func readHead(r io.Reader, maxColumns int) (head []byte, whole bool, err error) {
	enough := min(16<<20, 16*maxColumns) // bytes from which on fewer lines will do
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

// readPieces reads samples of a file from positions after its beginning, which is head bytes long.
// The result last reports whether the last sample reaches the end of the file. There are no samples
// if at is nil or the file is no longer than its beginning. readPieces stops at an error without
// returning it.
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

// newSample decodes the samples of a file. It drops the first line of each further piece, and
// pieces without a line end.
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
