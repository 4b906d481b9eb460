package store

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Stepper takes several training steps of the hinge loss in one call, on rows whose nonzeros are
// all equal, such as binary data.
type Stepper struct {
	cols    int
	rows    []constantRow // a last constantRow starts at len(indices)
	indices []uint16
}

// A row's nonzeros end where the next row's nonzeros start.
type constantRow struct {
	start uint32
	value float32
}

// Prepare sets the fields of s that depend on row i. y is the row's label, 1 or -1; weighted is y
// times the row's weight.
func (m *Stepper) Prepare(s *asm.Step, i int, y, weighted float32) {
	r := m.rows[i]
	s.Start, s.Count = r.start, m.rows[i+1].start-r.start
	s.Value, s.Update = y*r.value, float32(weighted*r.value)
}

func (m *Stepper) Prefetch(i int) {
	start, end := m.rows[i].start, m.rows[i+1].start
	if start == end {
		return
	}
	// Prefetch from the start of the cache line, so that both lines of a short row are loaded.
	before := uint32(uintptr(unsafe.Pointer(&m.indices[start]))%64) / 2
	asm.Prefetch(m.indices[start-min(before, start) : end])
}

// Take takes the steps, one after the other, on the weight vector w.
func (m *Stepper) Take(steps []asm.Step, w []float32) {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.cols)
	asm.StepsSame(steps, m.indices, w)
}
