// Package budget defines how much memory reading a file may use (docs/data.md#limits), and how the
// readers share it.
package budget

import "errors"

// Reading a file may take Base bytes of memory, including the program's, plus PerByte per
// decompressed byte and PerRow per row. A compressed model may take Base plus PerPackedByte per
// compressed byte.
const (
	Base          = 64 << 20
	PerByte       = 20
	PerPackedByte = 25
	PerRow        = 64
)

func Allowed(size, rows int64) int64 { return Base + PerByte*size + PerRow*rows }

var ErrTooMuch = errors.New("its contents would take more memory than a file of this size may: " +
	"the file is damaged or was not written by pegasimd")

// Part is a limit in bytes: Free for every file, and PerByte per byte read.
type Part struct{ Free, PerByte int64 }

// The limits for reading models and tables. For models, PerByte counts bytes as stored, compressed
// or not.
var (
	// Elements limits values decoded from JSON, and the slice headers of vectors.
	Elements = Part{8 << 20, 6}
	// Numbers limits the numbers of a compressed model together with what Elements limits.
	Numbers = Part{8 << 20, 8}
	// Unpacked limits the decompressed bytes of a compressed model, so that reading ends.
	Unpacked = Part{32 << 20, 64}
	// Vectors limits weight vectors that are sparse in the file.
	Vectors = Part{16 << 20, 16}
	// PackedVectors limits weight vectors that are sparse in a compressed model.
	PackedVectors = Part{16 << 20, 8}
	// Columns limits the statistics of a table's columns while an encoder is fitted.
	Columns = Part{32 << 20, 8}
	// Names limits the names of a table's features.
	Names = Part{8 << 20, 0}
)

// Of returns the bytes that p allows after size bytes were read.
func (p Part) Of(size int64) int64 { return p.Free + p.PerByte*size }

// Account counts the memory that a reader takes. A nil Account has no limit.
type Account struct {
	Part
	read, taken int64
}

func (a *Account) Read(bytes int64) {
	if a != nil {
		a.read += bytes
	}
}

// Take counts bytes if they are within the budget, and reports whether they are.
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

// Return undoes a Take.
func (a *Account) Return(bytes int64) {
	if a != nil {
		a.taken -= bytes
	}
}
