package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/sparse"
)

// checkSet fails the test unless s is a valid set without missing labels. If s is not too large,
// changes of its layout, and roundTrip, must preserve s.
func checkSet(t testing.TB, s *Set) {
	t.Helper()
	if (s.Dense == nil) == (s.Sparse == nil) || len(s.Y) != s.Rows() {
		t.Fatalf("%+v: broken", s)
	}
	for i, e := range examples(s) {
		if !floats.IsFinite(e.y) || s.Names != nil && int(e.y) >= len(s.Names) {
			t.Fatalf("row %d: label %v", i, e.y)
		}
		for k, v := range e.val {
			if !floats.IsFinite(v) || v == 0 || k > 0 && e.idx[k] <= e.idx[k-1] ||
				int(e.idx[k]) >= s.Cols() {
				t.Fatalf("row %d: %v", i, e)
			}
		}
	}
	if s.NNZ() > 0 && (s.Fill() <= 0 || s.Fill() > 1) {
		t.Fatalf("fill %v", s.Fill())
	}
	if float64(max(s.Rows(), 1))*float64(max(s.Cols(), 1)) > 1e6 {
		return
	}
	for _, first := range []Layout{LayoutDense, LayoutSparse} {
		a, err := s.WithLayout(first)
		if err != nil {
			t.Fatal(err)
		}
		same(t, a, s)
		b, err := a.WithLayout(LayoutAuto)
		if err != nil || a.NNZ() != b.NNZ() ||
			(b.Layout() == LayoutDense) != (s.Fill() >= denseFill) {
			t.Fatalf("fill %v: %s, %v", s.Fill(), b.Layout(), err)
		}
		same(t, b, s)
	}
	if s.Ignored > 0 {
		c := *s
		c.Ignored = 0
		s = &c
	}
	for _, form := range []Format{FormatSvmlight, FormatCSV, FormatNPY, FormatPGSM} {
		roundTrip(t, s, form)
	}
}

// roundTrip fails the test unless reading gives the set written, as far as the format can store it.
func roundTrip(t testing.TB, s *Set, form Format) {
	t.Helper()
	var b bytes.Buffer
	var got *Set
	var err error
	want := *s
	switch form {
	case FormatSvmlight:
		if err = WriteSvmlight(&b, s); err == nil {
			got, err = readSvmlightFrom(&b, "text", Options{Threads: 1})
		}
		want.Names = nil
	case FormatCSV:
		header := csvHeaderOf(s)
		err = WriteCSV(&b, s)
		if s.Cols() == 0 || s.Names != nil && says(err, "the class name") {
			return // CSV can't store the set
		}
		if err == nil {
			opt := Options{Header: HeaderNo, Separator: ",", Quote: `"`, Comment: "none",
				SkipLines: -1, MaxFeatures: max(s.Cols(), 1)}
			if header != "" {
				opt.Header = HeaderAuto
			}
			if got, err = readCSVFrom(&b, "csv", opt); err == nil && header != "" &&
				!slices.Equal(got.Table.Columns, s.Table.Columns) {
				t.Fatalf("columns %q, want %q", got.Table.Columns, s.Table.Columns)
			}
			want.Names = usedNames(s)
		}
	case FormatNPY:
		if err = WriteNPY(&b, s); s.Cols() == 0 {
			return // an array of one column is not read
		}
		if err == nil {
			got, err = ReadFrom(&b, "a.npy", Options{})
		}
		want.Names = nil
	}
	if form == FormatPGSM {
		file := pgsm(t, s)
		got, err = readPGSMBytes(file, int64(len(file)), "pgsm", Options{})
		if err == nil {
			same(t, got, s)
			if got.Layout() != s.Layout() {
				t.Fatalf("layout %s, want %s", got.Layout(), s.Layout())
			}
			return
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", form, err)
	}
	want.IndexBase = 1
	if s.Rows() == 0 {
		return // the number of columns may be lost
	}
	if form == FormatCSV && len(want.Names) < len(s.Names) {
		return // a class without rows is lost, and the labels of other classes change
	}
	same(t, got, &want)
}

func usedNames(s *Set) (names []string) {
	used := map[int]bool{}
	for _, y := range s.Y {
		used[int(y)] = true
	}
	for i, name := range s.Names {
		if used[i] {
			names = append(names, name)
		}
	}
	return names
}

func TestSet(t *testing.T) {
	for _, s := range []string{
		"", "1\n", "1 1:1\n", "1 1:1 2:0 3:2\n-1 3:1e-45\n2\n",
		"1 1:3.4028235e38 2:-0.1 100:7\n", "1 8:0\n",
	} {
		set := mustText(t, s, Options{})
		checkSet(t, set)
	}
}

func TestAutoLayout(t *testing.T) {
	for _, c := range []struct {
		text string
		want Layout
	}{
		{"1 1:1\n", LayoutDense},
		{"1 4:1\n", LayoutDense},
		{"1 5:1\n", LayoutSparse},
		{"1 4:1\n1\n1\n1\n", LayoutSparse},
		{"1 1:1\n1\n1\n1\n", LayoutDense},
		{"1 1:0\n", LayoutSparse},
		{"", LayoutSparse},
	} {
		s, err := readText(c.text, Options{})
		if err != nil || s.Layout() != c.want {
			t.Errorf("%q: %s, %v; want %s", c.text, s.Layout(), err, c.want)
		}
	}
}

func TestWithLayout(t *testing.T) {
	y := []float32{1}
	d, err := dense.FromSlice(1, 3, []float32{0, float32(math.Copysign(0, -1)), 2})
	if err != nil {
		t.Fatal(err)
	}
	s := &Set{Dense: d, Y: y, Names: []string{"a", "b"}, Ignored: 3}
	p, err := s.WithLayout(LayoutSparse)
	if err != nil || p.Sparse.NNZ() != 1 || p.Dense != nil || &p.Y[0] != &y[0] || p.Ignored != 3 ||
		len(p.Names) != 2 {
		t.Error(p, err)
	}
	if same, err := s.WithLayout(LayoutDense); err != nil || same != s {
		t.Error(same, err)
	}
	if _, err := s.WithLayout("round"); err == nil ||
		err.Error() != `dataset: layout "round": want one of ["auto" "dense" "sparse"]` {
		t.Error(err)
	}
	m, err := sparse.New(math.MaxInt32, make([]int64, 1e6), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&Set{Sparse: m}).WithLayout(LayoutDense)
	if !says(err, "too large for the dense layout") {
		t.Error(err)
	}
}

func TestSubset(t *testing.T) {
	all, err := readText("1 1:1\n2 2:2 3:4\n3\n4 1:4\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		t.Run(string(layout), func(t *testing.T) {
			s, err := all.WithLayout(layout)
			if err != nil {
				t.Fatal(err)
			}
			got := s.Subset([]int{3, 1, 1, 2})
			want := mustText(t, "4 1:4\n2 2:2 3:4\n2 2:2 3:4\n3\n", Options{})
			same(t, got, want)
			if got := s.Subset(nil); got.Rows() != 0 || got.Cols() != 3 {
				t.Error(got)
			}
			for _, rows := range [][]int{{-1}, {0, 4}} {
				func() {
					defer func() {
						r := fmt.Sprint(recover())
						if !strings.HasPrefix(r, "pegasimd: row ") {
							t.Error(r)
						}
					}()
					s.Subset(rows)
				}()
			}
		})
	}
}

func TestWriteErrors(t *testing.T) {
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		d, err := dense.FromSlice(2, 1, []float32{1, v})
		if err != nil {
			t.Fatal(err)
		}
		err = WriteSvmlight(&bytes.Buffer{}, &Set{Dense: d, Y: make([]float32, 2)})
		if err == nil || err.Error() != "dataset: row 1 has a number that is not finite" {
			t.Error(err)
		}
		bad := &Set{Dense: dense.New(1, 1), Y: []float32{v}}
		if err := WriteSvmlight(&bytes.Buffer{}, bad); err == nil {
			t.Error("no error")
		}
	}
}

func TestDigits(t *testing.T) {
	s := Digits()
	checkSet(t, s)
	if s.Rows() != 1797 || s.Cols() != 64 || s.Layout() != LayoutDense || s.Names != nil {
		t.Errorf("%d x %d, %s", s.Rows(), s.Cols(), s.Layout())
	}
	if f := s.Fill(); math.Abs(f-0.51) > 0.02 {
		t.Errorf("fill %v", f)
	}
	train, test := DigitsSplit()
	if train.Rows() != 1348 || test.Rows() != 449 {
		t.Errorf("%d and %d rows", train.Rows(), test.Rows())
	}
	count := map[float32]int{}
	largest := float32(0)
	for i := range s.Rows() {
		part, row := train, i-(i+1)/4
		if i%4 == 3 {
			part, row = test, i/4
		}
		if part.Y[row] != s.Y[i] {
			t.Fatalf("row %d: label %v, want %v", i, part.Y[row], s.Y[i])
		}
		for j, v := range s.Dense.Row(i) {
			if part.Dense.Row(row)[j] != v/16 {
				t.Fatalf("row %d: not a sixteenth", i)
			}
		}
		count[s.Y[i]]++
		largest = max(largest, slices.Max(s.Dense.Row(i)))
	}
	if len(count) != 10 || count[0] != 178 || count[9] != 180 || largest != 16 {
		t.Errorf("labels %v, largest %v", count, largest)
	}
}

func TestZeroSet(t *testing.T) {
	var s Set
	if s.Rows() != 0 || s.Cols() != 0 || s.NNZ() != 0 || s.Fill() != 0 || s.Mapped() ||
		s.Err() != nil || s.Close() != nil || s.Examples() != nil ||
		s.Subset(nil).Rows() != 0 {
		t.Errorf("%+v: a method of the zero Set returns rows, values or an error", s)
	}
	const want = "neither dense nor sparse"
	if _, err := s.WithLayout(LayoutAuto); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
