package shards

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// columnsMagic begins the file of the columns. Then come, little-endian, a byte that is 1 if there
// are moments, the number of columns as a uint64, the largest magnitudes as float32, and with
// moments the means and variances as float64 and a byte for each column, 1 if it is constant.
const columnsMagic = "pegasimd columns 1\n"

// momentBytes is the most memory for the moments of the columns while they are found; where more is
// needed, there are none. Sparse rows of very many columns do not need them.
const momentBytes = 1 << 30

// ReadColumns reads the statistics of each column: MaxAbs and, if the rows can be standardised,
// Mean, Variance and Constant.
func (m *Manifest) ReadColumns() (*store.Columns, error) {
	if err := m.verify(m.Columns); err != nil {
		return nil, err
	}
	path := filepath.Join(m.dir, m.Columns.Name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := decodeColumns(data, m.Cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", visible.Name(path), err)
	}
	c.Rows, c.Nonzeros = m.Rows, m.Nonzeros
	return c, nil
}

// encodeColumns returns what decodeColumns reads.
func encodeColumns(c *store.Columns) []byte {
	le := binary.LittleEndian
	b := bytes.NewBufferString(columnsMagic)
	moments := byte(0)
	if c.Mean != nil {
		moments = 1
	}
	b.WriteByte(moments)
	for _, data := range []any{uint64(len(c.MaxAbs)), c.MaxAbs, c.Mean, c.Variance, c.Constant} {
		binary.Write(b, le, data) // to memory: it can't fail
	}
	return b.Bytes()
}

func decodeColumns(data []byte, cols int) (*store.Columns, error) {
	bad := fmt.Errorf("not the statistics of %d columns", cols)
	rest, ok := bytes.CutPrefix(data, []byte(columnsMagic))
	if !ok || len(rest) < 9 || rest[0] > 1 || binary.LittleEndian.Uint64(rest[1:]) != uint64(cols) {
		return nil, bad
	}
	want := 4 * int64(cols)
	if rest[0] == 1 {
		want += 17 * int64(cols)
	}
	if int64(len(rest)-9) != want {
		return nil, bad
	}
	c := &store.Columns{Bad: -1, MaxAbs: make([]float32, cols)}
	fields := []any{c.MaxAbs}
	if rest[0] == 1 {
		c.Mean, c.Variance = make([]float64, cols), make([]float64, cols)
		c.Constant = make([]bool, cols)
		fields = append(fields, c.Mean, c.Variance, c.Constant)
	}
	r := bytes.NewReader(rest[9:])
	for _, field := range fields {
		if err := binary.Read(r, binary.LittleEndian, field); err != nil {
			return nil, bad
		}
	}
	if floats.FirstNotFinite(c.MaxAbs) >= 0 || floats.FirstNotFinite(c.Mean) >= 0 ||
		floats.FirstNotFinite(c.Variance) >= 0 {
		return nil, bad
	}
	return c, nil
}

// used returns how many columns are not zeros, nor known to be constant.
func used(c *store.Columns) (n int) {
	for j, v := range c.MaxAbs {
		if v > 0 && (c.Constant == nil || !c.Constant[j]) {
			n++
		}
	}
	return n
}

// kinds returns the kinds of scaling that the statistics allow, each with its scaler.
func kinds(c *store.Columns) (all []*scaling.Scaler) {
	for _, kind := range []string{scaling.Standard, scaling.MaxAbs, scaling.Unit} {
		if kind != scaling.Standard || c.Mean != nil {
			all = append(all, c.Scaler(kind))
		}
	}
	return slices.DeleteFunc(all, func(s *scaling.Scaler) bool { return !s.Check(len(c.MaxAbs)) })
}
