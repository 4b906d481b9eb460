package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/blob"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// The binary format .pgsm, which docs/spec.md defines. The magic bytes are such that a transfer as
// text damages them.
const (
	pgsmMagic   = "PGSM\r\n\x1a\n"
	pgsmVersion = 1
	pgsmHeader  = 64 // bytes
	pgsmAtSum   = 60 // offset of the header's checksum
	pgsmAlign   = 64

	pgsmBlock = 1 << 18 // approximate bytes of a block
	// pgsmMaxShift is the binary logarithm of the largest number of rows in a block.
	pgsmMaxShift = 16
)

type pgsmHead struct {
	Magic           [8]byte
	Version, Layout uint32
	Rows, Cols, NNZ uint64
	Shift, Base     uint32
	NameBytes       uint64
	HashBits, Sum   uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type pgsmFile struct {
	layout    Layout
	rows      int
	cols      int
	nnz       int
	shift     uint
	base      int
	nameBytes int64
	hashBits  int

	// Offsets of the sections, and the file's size, in bytes.
	labels, starts, columns, values, names, sums, size int64
}

func (h *pgsmFile) blocks() int {
	if h.rows == 0 {
		return 0
	}
	return (h.rows-1)>>h.shift + 1
}

func (h *pgsmFile) block(b int) (first, end int) {
	return b << h.shift, min(h.rows, (b+1)<<h.shift)
}

// stride returns the number of float32 in a dense row with its padding. It is an int64 because
// offsets of rows may exceed an int of 32 bits.
func (h *pgsmFile) stride() int64 {
	const floats = pgsmAlign / 4
	return (int64(h.cols) + floats - 1) / floats * floats
}

func (h *pgsmFile) place() error {
	at, ok := uint64(pgsmHeader), true
	section := func(count, width uint64) int64 {
		at = (at + pgsmAlign - 1) / pgsmAlign * pgsmAlign
		start := at
		over, size := bits.Mul64(count, width)
		end, carry := bits.Add64(start, size, 0)
		if ok = ok && over == 0 && carry == 0 && end < math.MaxInt64-pgsmAlign; ok {
			at = end
		}
		return int64(start)
	}
	rows, nnz := uint64(h.rows), uint64(h.nnz)
	h.labels = section(rows, 4)
	if h.layout == LayoutSparse {
		h.starts = section(rows+1, 8)
		h.columns = section(nnz, 4)
		h.values = section(nnz, 4)
	} else {
		over, n := bits.Mul64(rows, uint64(h.stride()))
		ok = ok && over == 0
		h.values = section(n, 4)
	}
	h.names = section(uint64(h.nameBytes), 1)
	h.sums = section(uint64(h.blocks())+3, 4)
	h.size = int64(at)
	if !ok {
		return fmt.Errorf("the sizes are too large: rows %d, features %d, nonzeros %d, bytes of names %d",
			h.rows, h.cols, h.nnz, h.nameBytes)
	}
	return nil
}

// chooseShift sets shift so that a block of rows of mean size has at most about pgsmBlock bytes, or
// one row if a row is longer.
func (h *pgsmFile) chooseShift() {
	row := 4 * h.stride()
	if h.layout == LayoutSparse {
		row = 8
		if h.rows > 0 {
			row += 8 * int64(h.nnz/h.rows)
		}
	}
	h.shift = uint(min(max(bits.Len64(uint64(pgsmBlock/max(row, 1)))-1, 0), pgsmMaxShift))
}

func (h *pgsmFile) header() []byte {
	head := pgsmHead{Magic: [8]byte([]byte(pgsmMagic)), Version: pgsmVersion, Rows: uint64(h.rows),
		Cols: uint64(h.cols), NNZ: uint64(h.nnz), Shift: uint32(h.shift), Base: uint32(h.base),
		NameBytes: uint64(h.nameBytes), HashBits: uint32(h.hashBits)}
	if h.layout == LayoutSparse {
		head.Layout = 1
	}
	// The error is nil: all fields have fixed sizes.
	b, _ := binary.Append(make([]byte, 0, pgsmHeader), binary.LittleEndian, &head)
	return binary.LittleEndian.AppendUint32(b[:pgsmAtSum], checksum(b[:pgsmAtSum]))
}

func parsePGSMHeader(b []byte, size int64) (*pgsmFile, error) {
	head, err := decodePGSMHead(b)
	if err != nil {
		return nil, err
	}
	h, err := head.file()
	if err != nil {
		return nil, err
	}
	if err := h.place(); err != nil {
		return nil, err
	}
	if h.size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are too many for this machine", h.size)
	}
	if h.size < size {
		return nil, fmt.Errorf("%d bytes where the header says %d: the file is damaged", size, h.size)
	}
	if h.size > size {
		return nil, fmt.Errorf("%d bytes where the header says %d: the file is cut off or damaged",
			size, h.size)
	}
	return h, nil
}

func decodePGSMHead(b []byte) (head pgsmHead, err error) {
	switch what, advice := form.ForeignKind(b); {
	case len(b) == 0:
		return head, errors.New("the file is empty")
	case len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b:
		return head, errors.New("compressed by gzip: unpack the file first")
	case what != "":
		return head, fmt.Errorf("this is %s: %s", what, advice)
	}
	if len(b) < len(pgsmMagic) || string(b[:len(pgsmMagic)]) != pgsmMagic {
		return head, fmt.Errorf("starts with %q: not a .pgsm file, or damaged, such as by a transfer as "+
			"text", b[:min(len(b), len(pgsmMagic))])
	}
	if _, err := binary.Decode(b, binary.LittleEndian, &head); err != nil {
		return head, short(io.EOF)
	}
	if v := head.Version; v != pgsmVersion {
		return head, fmt.Errorf("version %d of the format: this program knows version %d", v,
			pgsmVersion)
	}
	if checksum(b[:pgsmAtSum]) != head.Sum {
		return head, fmt.Errorf("the header's checksum is wrong: the file is damaged")
	}
	return head, nil
}

func (h *pgsmHead) file() (*pgsmFile, error) {
	switch {
	case h.Layout > 1 || h.Base > 1 || h.Shift > pgsmMaxShift || h.HashBits > maxHashBits,
		h.NameBytes > math.MaxInt64:
		return nil, fmt.Errorf("the header has invalid values")
	case h.Cols > math.MaxInt32:
		return nil, fmt.Errorf("%d columns: want at most %d", h.Cols, math.MaxInt32)
	case h.HashBits > 0 && h.Cols != 1<<h.HashBits:
		return nil, fmt.Errorf("%s, but hash bits for %d", plural.Count(int(h.Cols), "column"),
			1<<h.HashBits)
	case h.Rows >= math.MaxInt/8 || h.NNZ > math.MaxInt/8:
		return nil, fmt.Errorf("too many for this machine: rows %d, nonzeros %d", h.Rows, h.NNZ)
	}
	f := &pgsmFile{
		layout: LayoutDense, rows: int(h.Rows), cols: int(h.Cols), nnz: int(h.NNZ),
		shift: uint(h.Shift), base: int(h.Base), nameBytes: int64(h.NameBytes),
		hashBits: int(h.HashBits),
	}
	if h.Layout == 1 {
		f.layout = LayoutSparse
	}
	return f, nil
}

func checksum(parts ...[]byte) (sum uint32) {
	for _, part := range parts {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return sum
}

func ascending(names []string) error {
	for i, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("class name %q is not UTF-8", escape.Cut(name))
		}
		if i > 0 && name <= names[i-1] {
			return fmt.Errorf("class name %q after %q: want the names sorted by byte, each once",
				escape.Cut(name), escape.Cut(names[i-1]))
		}
	}
	return nil
}

func bytesOf[T int32 | int64 | float32](s []T) []byte {
	var one T
	size := len(s) * int(unsafe.Sizeof(one))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size)
}

// toNative converts numbers of width bytes each from little-endian to the machine's byte order, or
// back.
func toNative(raw []byte, width int) {
	if !blob.BigEndian {
		return
	}
	for i := 0; i < len(raw); i += width {
		slices.Reverse(raw[i : i+width])
	}
}
