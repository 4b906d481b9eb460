package modelfile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
)

func vectorsOf(n, stored int) [][]float32 {
	v := make([]float32, n)
	for j := range stored {
		v[j] = 1
	}
	return [][]float32{v}
}

func TestSparseChoice(t *testing.T) {
	w := NewWriter(io.Discard, Linear)
	for _, c := range []struct {
		n, stored, memory int
		want              bool
	}{
		{264, 0, 0, false}, {265, 0, 0, true}, // 1056-33 and 1060-34 bytes saved
		{4000, 3475, 0, true}, {4000, 3476, 0, false}, // 1600 and 1596 bytes of 16000 saved
		{800, 3, 16<<20 + 16*112, true}, {800, 3, 16<<20 + 16*112 + 1, false},
	} {
		if have := w.Sparse(vectorsOf(c.n, c.stored), c.memory); have != c.want {
			t.Errorf("%d of %d numbers, %d bytes of memory: %v", c.stored, c.n, c.memory, have)
		}
	}
	err := WriteFile(filepath.Join(t.TempDir(), "model.gz"), func(f io.Writer) error {
		w := NewWriter(f, Linear)
		free := int(budget.PackedVectors.Free)
		if !w.Sparse(vectorsOf(800, 3), free) || w.Sparse(vectorsOf(800, 3), free+1) {
			t.Error("the vectors of a compressed file are not limited to budget.PackedVectors.Free")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	minus := vectorsOf(300, 0)
	for j := range minus[0] {
		minus[0][j] = float32(math.Copysign(0, -1))
	}
	if w.Sparse(minus, 0) {
		t.Error("-0 counts as +0, which is not stored")
	}
}

func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 120 {
		n := rng.IntN(60)
		if trial%40 == 0 {
			n = chunk + trial
		}
		vectors, stored, share := make([][]float32, 1+trial%3), 0, rng.Float64()
		for k := range vectors {
			vectors[k] = make([]float32, n)
			for j := range vectors[k] {
				if rng.Float64() < share {
					vectors[k][j] = float32(rng.NormFloat64()) * float32(rng.IntN(2)) * -1
				}
				if math.Float32bits(vectors[k][j]) != 0 {
					stored++
				}
			}
		}
		all := n * len(vectors)
		for sparse, size := range map[bool]int{false: 4 * all, true: (all+7)/8 + 4*stored} {
			var b bytes.Buffer
			w := NewWriter(&b, Linear)
			if err := w.Header(nil); err != nil {
				t.Fatal(err)
			}
			w.Vectors(vectors, sparse)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if have := b.Len() - len("pegasimd model 1\n\n") - 32; have != size {
				t.Errorf("%d of %d numbers, sparse %v: %d bytes, want %d", stored, all, sparse, have,
					size)
			}
			_, err := Read(&b, Linear, func(r *Reader) (none int, err error) {
				if err := r.Header(nil); err != nil {
					return 0, err
				}
				v, err := r.Vectors(all, sparse, 4*all)
				if err != nil {
					return 0, err
				}
				for k, want := range vectors {
					have := make([]float32, n)
					v.Next(have)
					if !slices.EqualFunc(have, want, func(a, b float32) bool {
						return math.Float32bits(a) == math.Float32bits(b)
					}) {
						t.Errorf("vector %d is %v, want %v", k, have, want)
					}
				}
				return 0, r.End()
			})
			if err != nil {
				t.Errorf("%d of %d numbers, sparse %v: %v", stored, all, sparse, err)
			}
		}
	}
}

func readVectors(numbers string, n, memory int) error {
	text := sealed("pegasimd model 1\n\n", numbers)
	_, err := Read(strings.NewReader(text), Linear, func(r *Reader) (none int, err error) {
		if err := r.Header(nil); err != nil {
			return 0, err
		}
		if _, err := r.Vectors(n, true, memory); err != nil {
			return 0, err
		}
		return 0, r.End()
	})
	return err
}

func TestVectorErrors(t *testing.T) {
	const one = "\x00\x00\x80\x3f"
	for _, c := range []struct {
		numbers string
		n       int
		want    string
	}{
		{"\x01" + one, 1, ""}, {"\x80" + one, 8, ""}, {"\x00\x01" + one, 9, ""},
		{"\x02" + one, 1, "beyond the last weight"}, {"\x00\x02" + one, 9, "beyond the last weight"},
		{"\x03" + one + one, 1, "beyond the last weight"}, {"\x08" + one, 3, "beyond the last weight"},
		// If the number is missing, the reader takes 4 bytes of the checksum for it.
		{"\x01", 1, "cut short"}, {"\x01" + one + one, 1, "checksum"}, {"", 1 << 30, "cut short"},
	} {
		err := readVectors(c.numbers, c.n, 4*c.n)
		if c.want == "" && err != nil || c.want != "" && (err == nil ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q for %d numbers: %v, want %q", c.numbers, c.n, err, c.want)
		}
	}
	size := len(sealed("pegasimd model 1\n\n", "\x01"+one))
	if err := readVectors("\x01"+one, 1, int(budget.Vectors.Of(int64(size)))); err != nil {
		t.Error(err)
	}
	if err := readVectors("\x01"+one, 1, int(budget.Vectors.Of(int64(size)))+1); !errors.Is(err,
		budget.ErrTooMuch) {
		t.Error(err)
	}
}
