package synthetic

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"
)

func TestText(t *testing.T) {
	const rows = 5000
	m, y, err := Text(1, 0, rows, Cols)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows() != rows || len(y) != rows || m.Cols() != Cols {
		t.Fatalf("%d rows, %d labels, %d columns", m.Rows(), len(y), m.Cols())
	}
	if mean := float64(m.NNZ()) / rows; mean < 63 || mean > 65 {
		t.Errorf("%.2f nonzeros a row", mean)
	}
	positive, count := 0, make([]int, Cols)
	for i := range rows {
		if s := m.SumSquares(i); math.Abs(float64(s)-1) > 1e-6 {
			t.Fatalf("row %d has the squared norm %v", i, s)
		}
		if y[i] > 0 {
			positive++
		}
		idx, _ := m.Row(i)
		for _, j := range idx {
			count[j]++
		}
	}
	if share := float64(positive) / rows; share < 0.3 || share > 0.7 {
		t.Errorf("%.2f of the labels are +1", share)
	}
	slices.Sort(count)
	if top := count[Cols-1]; top < rows/4 || count[Cols/2] > 20 {
		t.Errorf("the most frequent column is in %d rows, the median one in %d", top, count[Cols/2])
	}

	// A row does not depend on what else is asked for.
	part, labels, err := Text(1, 4000, 10, Cols)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		idx, val := m.Row(4000 + i)
		partIdx, partVal := part.Row(i)
		if labels[i] != y[4000+i] || !slices.Equal(idx, partIdx) || !slices.Equal(val, partVal) {
			t.Fatalf("row %d is another one in a smaller range", 4000+i)
		}
	}

	// And its bits are the same on every machine.
	h := sha256.New()
	for i := range 10 {
		idx, val := part.Row(i)
		binary.Write(h, binary.LittleEndian, idx)
		binary.Write(h, binary.LittleEndian, val)
	}
	binary.Write(h, binary.LittleEndian, labels)
	const want = "f86ffc0207d2f57e903ffad51bbda4a0e0f8b84e713df211584654f5379e2c5b"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

func TestTextRefuses(t *testing.T) {
	for _, c := range [][3]int{{-1, 1, Cols}, {0, -1, Cols}, {0, MaxRows + 1, Cols},
		{math.MaxInt, math.MaxInt, Cols}, {0, 1, MinCols - 1}, {0, 1, MaxCols + 1}} {
		if _, _, err := Text(1, c[0], c[1], c[2]); err == nil {
			t.Errorf("rows from %d, %d of them, %d columns: no error", c[0], c[1], c[2])
		}
	}
	if m, y, err := Text(1, MaxRows, 0, MaxCols); err != nil || m.Rows() != 0 || len(y) != 0 {
		t.Error("no rows:", err)
	}
}

func TestLog2(t *testing.T) {
	for v, want := range map[uint64]uint32{1: 0, 2: 256, 3: 384, 4: 512, 5: 576, 1 << 63: 63 << 8,
		math.MaxUint64: 64<<8 - 1} {
		if got := log2(v); got != want {
			t.Errorf("log2(%d) = %d/256, want %d/256", v, got, want)
		}
	}
}
