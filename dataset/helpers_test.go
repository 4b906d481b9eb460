package dataset

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

func data(t testing.TB, name string) (path string, ok bool) {
	t.Helper()
	dir := os.Getenv("PEGASIMD_DATA")
	if dir == "" {
		t.Logf("not tested, PEGASIMD_DATA is not set: %s", name)
		return "", false
	}
	return filepath.Join(dir, name), true
}

func says(err error, words string) bool {
	return err != nil && strings.Contains(err.Error(), words)
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

type example struct {
	y   float32
	idx []int32
	val []float32
}

func examples(s *Set) []example {
	rows := make([]example, s.Rows())
	for i := range rows {
		rows[i] = exampleOf(s, i)
	}
	return rows
}

func exampleOf(s *Set, i int) (e example) {
	e.y = s.Y[i]
	if s.Sparse != nil {
		e.idx, e.val = s.Sparse.Row(i)
		return e
	}
	for j, v := range s.Dense.Row(i) {
		if v != 0 {
			e.idx = append(e.idx, int32(j))
			e.val = append(e.val, v)
		}
	}
	return e
}

func equal(a, b []example) bool {
	return slices.EqualFunc(a, b, func(a, b example) bool {
		return asBits(a.y) == asBits(b.y) && slices.Equal(a.idx, b.idx) &&
			slices.EqualFunc(a.val, b.val, func(x, y float32) bool {
				return asBits(x) == asBits(y)
			})
	})
}

func asBits(v float32) uint32 { return math.Float32bits(v) }

// same compares shapes, rows, labels, Names, IndexBase and Ignored, not layouts.
func same(t testing.TB, got, want *Set) {
	t.Helper()
	switch {
	case got.Rows() != want.Rows() || got.Cols() != want.Cols():
		t.Fatalf("%d x %d, want %d x %d", got.Rows(), got.Cols(), want.Rows(), want.Cols())
	case !equal(examples(got), examples(want)):
		t.Fatalf("rows\n%v, want\n%v", examples(got), examples(want))
	case got.IndexBase != want.IndexBase || got.Ignored != want.Ignored ||
		!slices.Equal(got.Names, want.Names):
		t.Fatalf("base %d, ignored %d, names %v, want %d, %d, %v",
			got.IndexBase, got.Ignored, got.Names, want.IndexBase, want.Ignored, want.Names)
	}
}

// reference reads svmlight text. line is the number of the first invalid line, or 0.
func reference(text string, opt Options) (rows []example, cols, base int, ignored int64, line int) {
	opt, _ = opt.filled()
	base = 1
	if opt.IndexBase == BaseZero || opt.IndexBase == BaseAuto && hasZero(text) {
		base = 0
	}
	for n, s := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		s, _, _ = strings.Cut(s, "#")
		fields := strings.FieldsFunc(s, blank)
		if len(fields) == 0 {
			continue
		}
		y, ok := refFloat(fields[0])
		r, isRat := new(big.Rat).SetString(fields[0])
		if ok && !strings.ContainsAny(fields[0], "eE") && isRat && r.IsInt() {
			ok = r.Cmp(new(big.Rat).SetFloat64(float64(y))) == 0
		}
		e := example{y: y + 0} // no -0
		last := int64(base) - 1
		if opt.HashBits > 0 || opt.Unsorted != UnsortedError {
			var largest int
			if e, largest, ok = referenceRow(e, fields[1:], base, opt, &ignored, ok); !ok {
				return nil, 0, 0, 0, n + 1
			}
			cols = max(cols, largest+1)
			rows = append(rows, e)
			continue
		}
		for i, f := range fields[1:] {
			a, b, colon := strings.Cut(f, ":")
			if i == 0 && a == "qid" && isDigits(b) {
				continue
			}
			j, err := strconv.ParseUint(a, 10, 31)
			v, isFloat := refFloat(b)
			col := int64(j) - int64(base)
			ok = ok && colon && err == nil && isFloat && int64(j) > last &&
				(opt.Features > 0 || col < int64(opt.MaxFeatures))
			last = int64(j)
			if opt.Features > 0 && col >= int64(opt.Features) {
				if v != 0 {
					ignored++
				}
				continue
			}
			cols = max(cols, int(col)+1)
			if v != 0 {
				e.idx = append(e.idx, int32(col))
				e.val = append(e.val, v)
			}
		}
		if !ok {
			return nil, 0, 0, 0, n + 1
		}
		rows = append(rows, e)
	}
	if opt.Features > 0 {
		cols = opt.Features
	}
	if opt.HashBits > 0 {
		cols = 1 << opt.HashBits
	}
	return rows, cols, base, ignored, 0
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// referenceRow adds to e the features of a row whose indices are hashed or may be out of order. ok
// says whether the label is valid, fine whether the row is.
func referenceRow(
	e example, fields []string, base int, opt Options, ignored *int64, ok bool,
) (row example, largest int, fine bool) {
	sums := map[int32]float32{}
	known := map[uint64]bool{}
	last, largest := big.NewInt(int64(base)-1), -1
	for i, f := range fields {
		a, b, colon := strings.Cut(f, ":")
		if i == 0 && a == "qid" && isDigits(b) {
			continue
		}
		j, err := strconv.ParseUint(a, 10, 64)
		v, isFloat := refFloat(b)
		if !ok || !colon || err != nil || !isFloat || j < uint64(base) {
			return e, 0, false
		}
		id := new(big.Int).SetUint64(j)
		if opt.Unsorted == UnsortedError && id.Cmp(last) <= 0 {
			return e, 0, false
		}
		last = id
		col := j - uint64(base)
		if opt.HashBits > 0 {
			if j == math.MaxUint64 {
				return e, 0, false
			}
			h := j
			h = (h ^ h>>33) * 0xff51afd7ed558ccd
			h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
			h ^= h >> 33
			col = h % (1 << opt.HashBits)
			if h >= 1<<63 {
				v = -v
			}
		} else if j > math.MaxInt32 || opt.Features == 0 && col >= uint64(opt.MaxFeatures) {
			return e, 0, false
		} else if opt.Features > 0 && col >= uint64(opt.Features) && !undecided(j, opt) {
			if v != 0 {
				*ignored++
			}
			continue
		}
		if opt.HashBits == 0 && opt.Unsorted == UnsortedSort && known[col] {
			return e, 0, false
		}
		known[col] = true
		largest = max(largest, int(col))
		sums[int32(col)] += v
	}
	for _, j := range slices.Sorted(maps.Keys(sums)) {
		if !floats.IsFinite(sums[j]) {
			return e, 0, false
		}
		switch {
		case sums[j] == 0:
		case opt.Features > 0 && int(j) >= opt.Features:
			*ignored++
		default:
			e.idx = append(e.idx, j)
			e.val = append(e.val, sums[j])
		}
	}
	return e, largest, ok
}

// undecided reports whether j is the index of the last column in base 1 while the base is unknown.
func undecided(j uint64, opt Options) bool {
	return opt.IndexBase == BaseAuto && opt.HashBits == 0 && j == uint64(opt.Features)
}

func refFloat(s string) (float32, bool) {
	f, err := strconv.ParseFloat(s, 32)
	return float32(f), err == nil && strings.Trim(s, "+-.0123456789eE") == ""
}

func hasZero(text string) bool {
	for s := range strings.SplitSeq(text, "\n") {
		s, _, _ = strings.Cut(s, "#")
		for i, f := range strings.FieldsFunc(s, blank) {
			a, _, ok := strings.Cut(f, ":")
			if i > 0 && ok && a != "" && strings.Trim(a, "0") == "" {
				return true
			}
		}
	}
	return false
}

func readSvmlightFrom(r io.Reader, name string, opt Options) (*Set, error) {
	opt.Format = FormatSvmlight
	return ReadFrom(r, name, opt)
}

func readCSVFrom(r io.Reader, name string, opt Options) (*Set, error) {
	opt.Format = cmp.Or(opt.Format, FormatCSV)
	return ReadFrom(r, name, opt)
}

func readPair(x, y []byte, xName, yName string, form Format, opt Options) (*Set, error) {
	opt.Format = form
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	in := input{
		opt: opt, files: make([]*os.File, 2), names: []string{xName, yName},
		raw: []io.Reader{bytes.NewReader(x), bytes.NewReader(y)},
	}
	return in.read()
}

// readPGSMBytes reads a .pgsm file with content b as if the file had size bytes.
func readPGSMBytes(b []byte, size int64, name string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	r := bytes.NewReader(b)
	h, err := readPGSMHeader(r, size, opt)
	if err != nil {
		return nil, fail(name, err)
	}
	data, err := readWhole(r, size, opt)
	if err != nil {
		return nil, fail(name, err)
	}
	s, err := h.set(data, nil, opt)
	if err != nil {
		return nil, fail(name, err)
	}
	return s, nil
}
