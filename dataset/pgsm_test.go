package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/blob"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

type memory []byte

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if need := int(at) + len(p); need > len(*m) {
		*m = append(*m, make([]byte, need-len(*m))...)
	}
	return copy((*m)[at:], p), nil
}

func pgsm(t testing.TB, s *Set) []byte {
	t.Helper()
	var m memory
	if err := WritePGSM(&m, s); err != nil {
		t.Fatal(err)
	}
	return m
}

// resign corrects the checksums of a changed file, but not of blocks with invalid starts. If the
// header is invalid, it corrects only the header's checksum.
func resign(b []byte) {
	if len(b) < pgsmHeader {
		return
	}
	le := binary.LittleEndian
	le.PutUint32(b[60:], crc32.Checksum(b[:60], castagnoli))
	h, err := parsePGSMHeader(b, int64(len(b)))
	if err != nil {
		return
	}
	sums := b[h.sums:]
	for i := range h.blocks() {
		first, end := h.block(i)
		part := []byte(nil)
		if h.layout == LayoutDense {
			stride := 4 * matrices.Stride(h.cols)
			part = b[int(h.values)+first*stride : int(h.values)+end*stride]
		} else {
			part = slices.Clone(b[int(h.starts)+8*first : int(h.starts)+8*end+8])
			from, to := le.Uint64(part), le.Uint64(part[len(part)-8:])
			if from > to || to > uint64(h.nnz) {
				continue
			}
			part = append(part, b[uint64(h.columns)+4*from:uint64(h.columns)+4*to]...)
			part = append(part, b[uint64(h.values)+4*from:uint64(h.values)+4*to]...)
		}
		le.PutUint32(sums[4*i:], crc32.Checksum(part, castagnoli))
	}
	n := 4 * h.blocks()
	le.PutUint32(sums[n:], crc32.Checksum(b[h.labels:int(h.labels)+4*h.rows], castagnoli))
	le.PutUint32(sums[n+4:], crc32.Checksum(b[h.names:h.names+h.nameBytes], castagnoli))
	le.PutUint32(sums[n+8:], crc32.Checksum(sums[:n+8], castagnoli))
}

func both(t testing.TB, b []byte, opt Options, f func(s *Set, err error)) {
	t.Helper()
	bothAt(t, file(t, "a.pgsm", b), opt, f)
}

func bothAt(t testing.TB, path string, opt Options, f func(s *Set, err error)) {
	t.Helper()
	s, err := Read(path, opt)
	if err == nil && s.mapped == nil && opt.Layout == "" && opt.Features == 0 &&
		runtime.GOOS == "linux" && !blob.BigEndian {
		t.Fatal("not mapped")
	}
	f(s, err)
	if err == nil {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	opt.InMemory = true
	s, err = Read(path, opt)
	if err == nil && s.mapped != nil {
		t.Fatal("mapped")
	}
	f(s, err)
}

func randomSet(r *rand.Rand, rows, cols int, layout Layout) *Set {
	s := &Set{Y: make([]float32, rows), IndexBase: 1}
	var starts = []int64{0}
	var idx []int32
	var val []float32
	for i := range rows {
		s.Y[i] = float32(r.IntN(3))
		for j := range cols {
			if r.IntN(4) == 0 {
				idx = append(idx, int32(j))
				val = append(val, float32(r.IntN(1000))/64-1000) // exact
			}
		}
		starts = append(starts, int64(len(val)))
	}
	m, err := sparse.New(cols, starts, idx, val)
	if err != nil {
		panic(err)
	}
	s.Sparse = m
	if s, err = s.WithLayout(layout); err != nil {
		panic(err)
	}
	return s
}

func TestPGSM(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		for _, size := range [][2]int{
			{0, 0}, {0, 5}, {1, 0}, {1, 1}, {3, 16}, {100, 17}, {4000, 100}, {70_000, 1},
		} {
			t.Run(fmt.Sprintf("%s/%dx%d", layout, size[0], size[1]), func(t *testing.T) {
				want := randomSet(r, size[0], size[1], layout)
				if size[0] == 100 {
					want.Names, want.IndexBase = []string{"", "red apple", "ø\n"}, 0
				}
				b := pgsm(t, want)
				checkPGSM(t, b, want)
				for _, opt := range []Options{
					{Layout: LayoutDense}, {Layout: LayoutSparse}, {Features: 20}, {Features: 1},
					{Features: 30, Layout: LayoutSparse},
				} {
					checkFit(t, b, opt, want)
				}
			})
		}
	}
}

func checkPGSM(t *testing.T, b []byte, want *Set) {
	t.Helper()
	both(t, b, Options{}, func(got *Set, err error) {
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
		if got.Layout() != want.Layout() || got.NNZ() != want.NNZ() || got.Err() != nil {
			t.Errorf("%s, %d nonzeros, %v", got.Layout(), got.NNZ(), got.Err())
		}
		if !got.Mapped() || got.Dense == nil {
			return
		}
		w := make([]float32, got.Cols())
		for j := range w {
			w[j] = float32(j)
		}
		for i := range min(got.Rows(), 101) { // DotRows also reads the padding
			dst := make([]float32, 1)
			if got.Dense.DotRows(dst, i, w); dst[0] != want.Dense.Dot(i, w) {
				t.Fatal(i)
			}
		}
	})
}

func checkFit(t *testing.T, b []byte, opt Options, want *Set) {
	t.Helper()
	both(t, b, opt, func(got *Set, err error) {
		if err != nil {
			t.Fatal(err)
		}
		like := want
		if opt.Features > 0 {
			if like, err = want.withCols(opt.Features); err != nil {
				t.Fatal(err)
			}
		}
		same(t, got, like)
		if opt.Layout != "" && got.Layout() != opt.Layout {
			t.Errorf("layout %s, want %s", got.Layout(), opt.Layout)
		}
	})
}

func TestPGSMGolden(t *testing.T) {
	for layout, want := range map[Layout]string{
		LayoutDense:  "f0e1b5240fb433fa",
		LayoutSparse: "d659ffba7ae18c50",
	} {
		s := randomSet(rand.New(rand.NewPCG(3, 3)), 3000, 40, layout)
		s.Names = []string{"a", "b", "c"}
		if got := fmt.Sprintf("%x", sha256.Sum256(pgsm(t, s)))[:16]; got != want {
			t.Errorf("%s: hash %s, want %s", layout, got, want)
		}
	}
}

// touch reads each row and returns the set's Err. It fails the test if an index is out of range or
// not ascending.
func touch(t testing.TB, s *Set) error {
	t.Helper()
	for i := range s.Rows() {
		if s.Sparse != nil {
			idx, val := s.Sparse.Row(i)
			for k, j := range idx {
				if j < 0 || int(j) >= s.Cols() || k > 0 && j <= idx[k-1] {
					t.Fatalf("row %d: column %d", i, j)
				}
			}
			if len(idx) != len(val) {
				t.Fatalf("row %d: %d columns, %d values", i, len(idx), len(val))
			}
			s.Sparse.SumSquares(i)
		} else {
			s.Dense.SumSquares(i)
		}
	}
	return s.Err()
}

// A flipped bit in any byte, except between sections, is found when the rows are read, or earlier.
func TestPGSMDamage(t *testing.T) {
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		t.Run(string(layout), func(t *testing.T) {
			want := randomSet(rand.New(rand.NewPCG(4, 4)), 20, 9, layout)
			want.Names = []string{"a", "b", "c"}
			b := pgsm(t, want)
			h, err := parsePGSMHeader(b, int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			gap := func(i int) bool { // whether byte i is between two sections
				ends := []int64{h.labels + 80, h.values + 4*int64(h.nnz), h.names + h.nameBytes}
				if layout == LayoutSparse {
					ends = append(ends, h.starts+8*21, h.columns+4*int64(h.nnz))
				} else {
					ends[1] = h.names
				}
				return slices.ContainsFunc(ends, func(end int64) bool {
					return int64(i) >= end && int64(i) < (end+63)/64*64
				})
			}
			gaps, path := 0, file(t, "a.pgsm", nil)
			for i := range b {
				bad := bytes.Clone(b)
				bad[i] ^= 1 << (i % 8)
				if err := os.WriteFile(path, bad, 0o666); err != nil {
					t.Fatal(err)
				}
				found := 0
				bothAt(t, path, Options{}, func(s *Set, err error) {
					if err == nil {
						err = touch(t, s)
					}
					if err != nil {
						found++
					}
				})
				if gap(i) {
					gaps++
				} else if found != 2 {
					t.Errorf("%s, byte %d: found %d times", layout, i, found)
				}
			}
			if gaps == 0 || gaps > len(b)/3 {
				t.Errorf("%d bytes of %d are not checked", gaps, len(b))
			}
			for n := range b {
				if s, err := readPGSMBytes(b, int64(n), "a", Options{}); err == nil {
					t.Fatalf("%d bytes of %d: %v", n, len(b), s)
				}
				s, err := readPGSMBytes(b[:n], int64(len(b)), "a", Options{})
				if err == nil {
					t.Fatalf("%d bytes of %d: %v", n, len(b), s)
				}
			}
		})
	}
}

// Wrong content is refused although resign corrects the checksums.
func TestPGSMHostile(t *testing.T) {
	le := binary.LittleEndian
	want := randomSet(rand.New(rand.NewPCG(5, 5)), 20, 9, LayoutSparse)
	want.Names = []string{"a", "b", "c"}
	b := pgsm(t, want)
	h, err := parsePGSMHeader(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	thin := pgsm(t, randomSet(rand.New(rand.NewPCG(5, 5)), 20, 9, LayoutDense))
	hd, err := parsePGSMHeader(thin, int64(len(thin)))
	if err != nil {
		t.Fatal(err)
	}
	put32 := func(at int64, v uint32) func([]byte) {
		return func(b []byte) { le.PutUint32(b[at:], v) }
	}
	put64 := func(at int64, v uint64) func([]byte) {
		return func(b []byte) { le.PutUint64(b[at:], v) }
	}
	const header = "the header has invalid values"
	for _, c := range []struct {
		name  string
		file  []byte
		spoil func(b []byte)
		want  string
	}{
		{"magic", b, func(b []byte) { b[4] = '\n' },
			`starts with "PGSM\n\n\x1a\n": not a .pgsm file, or damaged, such as by a transfer`},
		{"compressed", b, func(b []byte) { b[0], b[1] = 0x1f, 0x8b }, "unpack the file first"},
		{"compressed by bzip2", b, func(b []byte) { copy(b, "BZh9\xff") },
			"this is compressed by bzip2: unpack it: bunzip2 < FILE > NEWFILE"},
		{"longer", append(b[:len(b):len(b)], 0), func([]byte) {}, ": the file is damaged"},
		{"empty", nil, func([]byte) {}, "the file is empty"},
		{"newer version", b, put32(8, 2), "version 2 of the format: this program knows version 1"},
		{"layout", b, put32(12, 2), header},
		{"2^24 rows", b, put64(16, 1<<24), "where the header says"},
		{"2^61 rows", b, put64(16, 1<<61), "too many for this machine"},
		{"rows that overflow", b, put64(16, 1<<60-1), ""},
		{"2^31 columns", b, put64(24, 1<<31), "2147483648 columns: want at most 2147483647"},
		{"columns past the limit", b, put64(24, 1<<28),
			"268435456 features are beyond the limit of 134217728 (-max-features)"},
		{"2^24 nonzeros", b, put64(32, 1<<24), "where the header says"},
		{"2^63 nonzeros", b, put64(32, 1<<63), "too many for this machine"},
		{"shift", b, put32(40, 17), header},
		{"base", b, put32(44, 2), header},
		{"2^24 bytes of names", b, put64(48, 1<<24), "where the header says"},
		{"2^63 bytes of names", b, put64(48, 1<<63), header},
		{"hash bits", b, put32(56, 31), header},
		{"hash bits of other columns", b, put32(56, 4), "9 columns, but hash bits for 16"},
		{"label NaN", b, put32(h.labels, math.Float32bits(float32(math.NaN()))),
			"row 0: the label is not finite"},
		{"label without a name", b, put32(h.labels+4, math.Float32bits(3)),
			"row 1: the label 3 is not the index of one of 3 class names"},
		{"label between names", b, put32(h.labels+4, math.Float32bits(0.5)),
			"row 1: the label 0.5 is not the index of one of 3 class names"},
		{"label below names", b, put32(h.labels+4, math.Float32bits(-1)),
			"row 1: the label -1 is not the index of one of 3 class names"},
		{"name too long", b, func(b []byte) { b[h.names] = 100 },
			"the length of class name 0 is wrong"},
		{"name length", b, func(b []byte) { copy(b[h.names:], "\xff\xff\xff\xff\xff\xff") },
			"the length of class name 0 is wrong"},
		{"names out of order", b, func(b []byte) { b[h.names+1] = 'c' },
			`class name "b" after "c": want the names sorted by byte, each once`},
		{"name twice", b, func(b []byte) { b[h.names+5] = 'b' },
			`class name "b" after "b": want the names sorted by byte, each once`},
		{"first start", b, put64(h.starts, 1), ""},
		{"last start", b, put64(h.starts+8*20, 0), ""},
		{"start past the end", b, put64(h.starts+8, 1<<40),
			"row 0 ends at 1099511627776, past the last of the"},
		{"start negative", b, put64(h.starts+16, 1<<63),
			"row 1 ends at -9223372036854775808, before it starts"},
		{"column past the end", b, put32(h.columns, 9), "row 0: column 9: want"},
		{"column 2^31-1", b, put32(h.columns, math.MaxInt32), "row 0: column 2147483647: want"},
		{"column -1", b, put32(h.columns, math.MaxUint32), "row 0: column -1: want"},
		{"value NaN", b, put32(h.values, 0x7fc00000),
			"row 0, counted from 0, has a number that is not finite"},
		{"value infinite", b, put32(h.values+4*int64(h.nnz)-4, 0xff800000),
			"row 19, counted from 0, has a number that is not finite"},
		{"value 0", b, put32(h.values, 0), "row 0, counted from 0, stores a zero"},
		{"dense value NaN", thin, put32(hd.values+64*7, 0x7fc00000),
			"row 7, counted from 0, has a number that is not finite"},
		{"dense value infinite", thin, put32(hd.values, 0x7f800000),
			"row 0, counted from 0, has a number that is not finite"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := bytes.Clone(c.file)
			c.spoil(bad)
			resign(bad)
			allocated(t, 1<<20, func() {
				both(t, bad, Options{}, func(s *Set, err error) {
					if err == nil {
						err = touch(t, s)
					}
					if !says(err, c.want) {
						t.Errorf("%v, want %s", err, c.want)
					}
				})
			})
		})
	}
}

// The rows of damaged blocks have no nonzeros, and the error names the first of these blocks.
func TestPGSMBadBlock(t *testing.T) {
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		t.Run(string(layout), func(t *testing.T) {
			want := randomSet(rand.New(rand.NewPCG(6, 6)), 30_000, 60, layout)
			b := pgsm(t, want)
			h, err := parsePGSMHeader(b, int64(len(b)))
			if err != nil || h.blocks() < 8 {
				t.Fatal(h, err)
			}
			row := func(block int) int { first, _ := h.block(block); return first + 1 }
			for _, block := range []int{5, 3, 6} {
				at := h.values + int64(4*row(block)*matrices.Stride(60))
				if layout == LayoutSparse {
					at = h.columns + 4*int64(le64(b[h.starts+8*int64(row(block)):]))
				}
				b[at+3] ^= 2
			}
			first, end := h.block(3)
			text := fmt.Sprintf("rows %d to %d: the checksum is wrong: the file is damaged",
				first, end-1)
			path := file(t, "a.pgsm", b)
			if !blob.BigEndian { // big-endian machines map no files
				s, err := Read(path, Options{})
				if err != nil {
					t.Fatal(err)
				}
				empty := example{y: want.Y[first]}
				if have := examples(s)[first]; !equal([]example{have}, []example{empty}) {
					t.Errorf("a row of a bad block: %v", have)
				}
				for range 2 {
					if err := touch(t, s); err == nil || err.Error() != text {
						t.Errorf("%v, want %s", err, text)
					}
				}
				if i := row(4); !equal(examples(s)[i:i+1], examples(want)[i:i+1]) {
					t.Error("a row of a good block has changed")
				}
				s.Close()
			}
			for _, opt := range []Options{{Features: 50}, {InMemory: true}} {
				if _, err := Read(path, opt); err == nil || err.Error() != path+": "+text {
					t.Error(err)
				}
			}
		})
	}
}

// Methods of a mapped dense set give the result for a row of zeros if the row's block is damaged.
func TestPGSMBadDenseRow(t *testing.T) {
	if blob.BigEndian {
		t.Skip("big-endian machines map no files")
	}
	want := randomSet(rand.New(rand.NewPCG(6, 6)), 5000, 60, LayoutDense)
	b := pgsm(t, want)
	h, err := parsePGSMHeader(b, int64(len(b)))
	if err != nil || h.blocks() < 3 {
		t.Fatal(h, err)
	}
	bad, good := 1<<h.shift+3, 5
	b[int(h.values)+4*bad*matrices.Stride(60)] ^= 1
	path := file(t, "a.pgsm", b)
	w := make([]float32, 60)
	for j := range w {
		w[j] = float32(1 + j)
	}
	for name, read := range map[string]func(m *dense.Matrix, i int) float32{
		"Row":        func(m *dense.Matrix, i int) float32 { return dense.Dot(m.Row(i), w) },
		"Dot":        func(m *dense.Matrix, i int) float32 { return m.Dot(i, w) },
		"SumSquares": func(m *dense.Matrix, i int) float32 { return m.SumSquares(i) },
		"Take": func(m *dense.Matrix, i int) float32 {
			return m.Take([]uint32{uint32(i)}).Dot(0, w)
		},
		"Axpy": func(m *dense.Matrix, i int) float32 {
			y := make([]float32, 60)
			m.Axpy(i, 1, y)
			return dense.Dot(y, w)
		},
		"DotRows": func(m *dense.Matrix, i int) float32 {
			dst := make([]float32, 1)
			m.DotRows(dst, i, w)
			return dst[0]
		},
		"DotRowsAt": func(m *dense.Matrix, i int) float32 {
			dst := make([]float32, 1)
			m.DotRowsAt(dst, []int32{int32(i)}, w)
			return dst[0]
		},
		"AxpyRows": func(m *dense.Matrix, i int) float32 {
			y := make([]float32, 60)
			m.AxpyRows([]float32{1}, []int32{int32(i)}, y)
			return dense.Dot(y, w)
		},
	} {
		s, err := Read(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if have := read(s.Dense, good); have != read(want.Dense, good) || s.Err() != nil {
			t.Errorf("%s of a good row: %v, %v", name, have, s.Err())
		}
		if have := read(s.Dense, bad); have != 0 || !says(s.Err(), "checksum is wrong") {
			t.Errorf("%s of a bad row: %v, %v", name, have, s.Err())
		}
		s.Close()
	}
}

func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func TestPGSMInMemory(t *testing.T) {
	s := randomSet(rand.New(rand.NewPCG(6, 7)), 30_000, 60, LayoutSparse)
	path := file(t, "a.pgsm", pgsm(t, s))
	var read, total int64
	opt := Options{InMemory: true, Progress: func(r, t int64) { read, total = r, t }}
	if _, err := Read(path, opt); err != nil || read == 0 || read != total {
		t.Error(read, total, err)
	}
	var cancel context.CancelFunc
	opt.Context, cancel = context.WithCancel(context.Background())
	cancel()
	if _, err := Read(path, opt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestReadPGSM(t *testing.T) {
	f, err := files.Temp(t.TempDir(), "*.pgsm")
	if errors.Is(err, errors.ErrUnsupported) || runtime.GOOS == "windows" {
		t.Skip("the system has no such files: NOT TESTED")
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadFrom(strings.NewReader("1 1:2\n-1 3:4\n"), "a.svm", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := WritePGSM(f, want); err != nil {
		t.Fatal(err)
	}
	have, err := ReadPGSM(f, Options{})
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	defer have.Close()
	if have.Rows() != 2 || have.Cols() != 3 || have.NNZ() != 2 || have.Err() != nil ||
		!slices.Equal(have.Y, want.Y) {
		t.Errorf("%d x %d, %v", have.Rows(), have.Cols(), have.Err())
	}
	if _, err := ReadPGSM(f, Options{}); err == nil {
		t.Error("a closed file was read")
	}
}

func TestPGSMLarge(t *testing.T) {
	if runtime.GOOS != "linux" || bits.UintSize < 64 || blob.BigEndian {
		t.Skip("not tested: the file is made of holes and must be mapped")
	}
	h := &pgsmFile{layout: LayoutDense, rows: 1 << 18, cols: maxThinDense>>20 + 16}
	h.chooseShift()
	if err := h.place(); err != nil {
		t.Fatal(err)
	}
	sums := make([]byte, 4*h.blocks(), 4*h.blocks()+12)
	sums = binary.LittleEndian.AppendUint32(sums, checksum(make([]byte, 4*h.rows)))
	sums = binary.LittleEndian.AppendUint32(sums, 0)
	sums = binary.LittleEndian.AppendUint32(sums, checksum(sums))
	path := file(t, "a.pgsm", h.header())
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(sums, h.sums)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, layout := range []Layout{LayoutAuto, LayoutDense} {
		s, err := Read(path, Options{Layout: layout})
		if err != nil || s.Rows() != h.rows || s.Cols() != h.cols || !s.Mapped() {
			t.Fatalf("layout %s: %v", layout, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPGSMReadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(filepath.Join(dir, "none.pgsm"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Read(dir, Options{Format: FormatPGSM}); !says(err, "regular files only") {
		t.Error(err)
	}
	b := pgsm(t, randomSet(rand.New(rand.NewPCG(1, 1)), 5, 5, LayoutSparse))
	for _, opt := range []Options{{MaxBytes: int64(len(b)) - 1}, {MaxFeatures: 4}, {HashBits: 5}} {
		path := file(t, "a.pgsm", b)
		if _, err := Read(path, opt); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Error(err)
		}
	}
	fits := Options{MaxBytes: int64(len(b)), MaxFeatures: 5}
	if _, err := Read(file(t, "a.pgsm", b), fits); err != nil {
		t.Error(err)
	}
}

func TestPGSMWriter(t *testing.T) {
	row := func(y float32, values ...float32) func(p *PGSMWriter) error {
		return func(p *PGSMWriter) error { return p.Append(y, nil, values) }
	}
	pairs := func(y float32, columns []int32, values ...float32) func(p *PGSMWriter) error {
		return func(p *PGSMWriter) error { return p.Append(y, columns, values) }
	}
	nan := float32(math.NaN())
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		for _, c := range []struct {
			name string
			want string
			rows []func(p *PGSMWriter) error
		}{
			{"good", "",
				[]func(*PGSMWriter) error{row(1, 0, 2, 0), pairs(-1, []int32{0, 1, 2}, 5, 0, 6)}},
			{"too few rows", "appended 1 row and 1 nonzero, want 2 and 3",
				[]func(*PGSMWriter) error{row(1, 0, 2, 0)}},
			{"too many rows", "more than the 2 rows announced",
				[]func(*PGSMWriter) error{row(1, 0, 2, 0), row(1, 5, 0, 6), row(1, 0, 0, 0)}},
			{"too few nonzeros", "appended 2 rows and 2 nonzeros, want 2 and 3",
				[]func(*PGSMWriter) error{row(1, 0, 2, 0), row(1, 0, 0, 6)}},
			{"too many nonzeros", "more than the 3 nonzeros announced",
				[]func(*PGSMWriter) error{row(1, 0, 2, 0), row(1, 1, 2, 3)}},
			{"columns out of order", "row 0: column 1 after 1",
				[]func(*PGSMWriter) error{pairs(1, []int32{1, 1}, 2, 3)}},
			{"column out of range", "row 0: column 3: want 0 or more, and less than 3",
				[]func(*PGSMWriter) error{pairs(1, []int32{3}, 2)}},
			{"column negative", "row 0: column -1: want 0 or more, and less than 3",
				[]func(*PGSMWriter) error{pairs(1, []int32{-1}, 2)}},
			{"columns without values", "row 0 has 1 value, want 2",
				[]func(*PGSMWriter) error{pairs(1, []int32{0, 1}, 2)}},
			{"row too short", "row 0 has 2 values, want 3",
				[]func(*PGSMWriter) error{row(1, 0, 2)}},
			{"value NaN", "row 1 has a number that is not finite",
				[]func(*PGSMWriter) error{row(1, 0, 2, 0), row(1, nan, 0, 0)}},
			{"label NaN", "row 0 has a number that is not finite",
				[]func(*PGSMWriter) error{row(nan, 0, 2, 0)}},
		} {
			t.Run(string(layout)+"/"+c.name, func(t *testing.T) {
				var m memory
				shape := PGSMShape{Layout: layout, Rows: 2, Cols: 3, NNZ: 3, IndexBase: 1}
				p, err := NewPGSMWriter(&m, shape)
				if err != nil {
					t.Fatal(err)
				}
				for _, append := range c.rows {
					if err == nil {
						err = append(p)
					}
				}
				if last := p.Close(); err == nil {
					err = last
				} else if last == nil {
					t.Error("Close does not return the earlier error")
				}
				if (err == nil) != (c.want == "") || err != nil && !says(err, c.want) {
					t.Fatalf("%v, want %s", err, c.want)
				}
				s, readErr := readPGSMBytes(m, int64(len(m)), "a", Options{})
				if (readErr == nil) != (err == nil) {
					t.Fatalf("written: %v, read: %v", err, readErr)
				}
				if err == nil {
					want := mustText(t, "1 2:2\n-1 1:5 3:6\n", Options{})
					same(t, s, want)
				}
				if p.Close() == nil || p.Append(1, nil, nil) == nil {
					t.Error("Close or Append after Close: no error")
				}
			})
		}
	}
	for _, shape := range []PGSMShape{
		{}, {Layout: LayoutAuto}, {Layout: LayoutDense, Rows: -1}, {Layout: LayoutDense, Cols: -1},
		{Layout: LayoutSparse, NNZ: -1},
		{Layout: LayoutSparse, Cols: math.MaxInt32, IndexBase: 2},
		{Layout: LayoutSparse, HashBits: 4, Cols: 15}, {Layout: LayoutSparse, HashBits: 31},
		{Layout: LayoutDense, Rows: math.MaxInt, Cols: math.MaxInt32},
		{Layout: LayoutDense, Names: []string{"b", "a"}},
	} {
		_, err := NewPGSMWriter(&memory{}, shape)
		if err == nil || !strings.HasPrefix(err.Error(), "dataset: ") {
			t.Errorf("%+v: %v", shape, err)
		}
	}
	full := errors.New("no space left")
	for n := range 6 {
		w := &failing{after: n, err: full}
		s := randomSet(rand.New(rand.NewPCG(1, 1)), 5, 5, LayoutSparse)
		s.Names = []string{"a", "b", "c"}
		if err := WritePGSM(w, s); !errors.Is(err, full) {
			t.Errorf("after %d writes: %v", n, err)
		}
	}
}

type failing struct {
	after int
	err   error
}

func (f *failing) WriteAt(p []byte, at int64) (int, error) {
	if f.after--; f.after < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func FuzzPGSM(f *testing.F) {
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		s := randomSet(rand.New(rand.NewPCG(5, 5)), 3, 5, layout)
		f.Add(pgsm(f, s), uint8(0), true)
		s.Names = []string{"a", "b", "c"}
		f.Add(pgsm(f, s), uint8(3), false)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte, features uint8, sign bool) {
		if sign {
			resign(b)
		}
		opt := Options{Features: int(features)}
		s, err := readPGSMBytes(b, int64(len(b)), "a.pgsm", opt)
		if err == nil {
			checkSet(t, s)
		} else if !strings.HasPrefix(err.Error(), "a.pgsm: ") {
			t.Fatalf("%v: no file named", err)
		}
		path := filepath.Join(dir, "a.pgsm")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		m, mapErr := Read(path, opt)
		if mapErr == nil {
			defer m.Close()
			mapErr = touch(t, m)
		}
		if (err == nil) != (mapErr == nil) {
			t.Fatalf("%v in memory, %v mapped", err, mapErr)
		}
		if err == nil {
			same(t, m, s)
		}
	})
}

// inBlocks returns the file of a set without names, with 2^shift rows in each block but the last.
func inBlocks(t testing.TB, s *Set, shift uint) []byte {
	t.Helper()
	var m memory
	p, err := NewPGSMWriter(&m, PGSMShape{
		Layout: s.Layout(), Rows: s.Rows(), Cols: s.Cols(), NNZ: s.NNZ(), IndexBase: s.IndexBase,
	})
	if err == nil {
		sum := p.sum[p.blocks()+1]
		p.shift = shift
		err = p.place()
		p.sum = make([]uint32, p.blocks()+2)
		p.sum[p.blocks()+1] = sum
	}
	for i, e := range examples(s) {
		if err == nil {
			err = p.Append(s.Y[i], e.idx, e.val)
		}
	}
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// If a bit of a mapped file is flipped, each row is unchanged, or it is empty and Err returns an
// error.
func FuzzMapped(f *testing.F) {
	f.Add(uint8(9), uint8(5), uint64(1), true, uint8(1), uint16(0))
	f.Add(uint8(30), uint8(3), uint64(2), false, uint8(2), uint16(0))
	f.Add(uint8(30), uint8(17), uint64(3), true, uint8(3), uint16(200))
	f.Add(uint8(70), uint8(4), uint64(4), false, uint8(0), uint16(900))
	path := filepath.Join(f.TempDir(), "a.pgsm")
	f.Fuzz(func(t *testing.T, rows, cols uint8, seed uint64, full bool, shift uint8, flip uint16) {
		r := rand.New(rand.NewPCG(seed, 1))
		layout := LayoutSparse
		if full {
			layout = LayoutDense
		}
		set := randomSet(r, int(rows), int(cols), layout)
		want, b := examples(set), inBlocks(t, set, uint(shift)%9)
		damaged := flip > 0
		if damaged {
			b[int(flip)%len(b)] ^= 1 << (flip % 7)
		}
		inMemory, err := readPGSMBytes(b, int64(len(b)), "a", Options{})
		if err == nil && !equal(examples(inMemory), want) || err != nil && !damaged {
			t.Fatalf("in memory: %v, or other rows", err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		m, mapErr := Read(path, Options{})
		if mapErr == nil {
			defer m.Close()
			for _, i := range r.Perm(m.Rows()) {
				have := exampleOf(m, i)
				empty := example{y: want[i].y}
				if !equal([]example{have}, want[i:i+1]) &&
					(m.Err() == nil || !equal([]example{have}, []example{empty})) {
					t.Fatalf("row %d: %v, want %v; %v", i, have, want[i], m.Err())
				}
			}
			mapErr = m.Err()
		}
		if (mapErr == nil) != (err == nil) {
			t.Fatalf("%v mapped, %v in memory", mapErr, err)
		}
	})
}
