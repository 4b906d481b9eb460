// Package budget states how much memory reading a file may take, as docs/data.md#limits promises,
// and how the readers divide it among them. A reader asks before it allocates what a count in the
// file merely claims: columns, buckets, vectors without numbers.
package budget

import "errors"

// Reading a file takes at most Base bytes of memory, the program's own included, PerByte for each
// byte of the unpacked file and PerRow for each of its rows. A compressed model takes Base and
// PerPackedByte for each byte of the compressed file.
const (
	Base          = 64 << 20
	PerByte       = 20
	PerPackedByte = 25
	PerRow        = 64
)

// Allowed returns the most bytes of memory that reading a file of size bytes, unpacked, and of the
// given number of rows may take.
func Allowed(size, rows int64) int64 { return Base + PerByte*size + PerRow*rows }

// ErrTooMuch is the error of a reader whose budget is spent.
var ErrTooMuch = errors.New("asks for more memory than a file of this size may: it is damaged, " +
	"or made to do harm")

// A Part is one reader's part of the memory that a file may take: Free bytes for any file, and
// PerByte for each byte read. The rest is for garbage, buffers and the program itself.
type Part struct{ Free, PerByte int64 }

// The parts of models, for each byte of the file, compressed or not, and of tables.
var (
	// Elements are slices that are larger than their text, and vectors without numbers.
	Elements = Part{8 << 20, 6}
	// Numbers are the numbers and Elements of a compressed model.
	Numbers = Part{8 << 20, 8}
	// Unpacked is the text of a compressed model, which is not kept: reading it has to end.
	Unpacked = Part{32 << 20, 64}
	// Vectors are weight vectors that are sparse in the file.
	Vectors = Part{16 << 20, 16}
	// PackedVectors are the weight vectors of a compressed model.
	PackedVectors = Part{16 << 20, 8}
	// Columns are the statistics of a table's columns while an encoder is fitted to it.
	Columns = Part{32 << 20, 8}
	// Names are the names of a table's features.
	Names = Part{8 << 20, 0}
)

// Of returns how many bytes the part has for a file of which size bytes were read.
func (p Part) Of(size int64) int64 { return p.Free + p.PerByte*size }

// An Account is a Part that is being spent. A nil Account pays for everything.
type Account struct {
	Part
	read, taken int64
}

// Read counts bytes of the file that were read.
func (a *Account) Read(bytes int64) {
	if a != nil {
		a.read += bytes
	}
}

// Take reports whether the file pays for further bytes of memory, and counts them if so.
func (a *Account) Take(bytes int64) bool {
	if a == nil {
		return true
	}
	if a.taken+bytes > a.Of(a.read) {
		return false
	}
	a.taken += bytes
	return true
}

// Return gives back bytes that were taken.
func (a *Account) Return(bytes int64) {
	if a != nil {
		a.taken -= bytes
	}
}
