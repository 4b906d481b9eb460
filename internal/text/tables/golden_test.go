package tables

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
)

func hashOf(s *dataset.Set) string {
	h := sha256.New()
	word := func(v uint32) { h.Write(binary.LittleEndian.AppendUint32(nil, v)) }
	word(uint32(s.Cols()))
	for i := range s.Rows() {
		word(math.Float32bits(s.Y[i]))
		for j, v := range rowOf(s, i) {
			if v != 0 {
				word(uint32(j))
				word(math.Float32bits(v))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func allKinds(t testing.TB) string {
	const rows = 10_000
	r := rand.New(rand.NewPCG(10, 10))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	number := func() string { return strconv.FormatFloat(100*r.Float64()-30, 'g', -1, 64) }
	rarely := func(n int, rare, often string) string {
		if r.IntN(n) == 0 {
			return rare
		}
		return often
	}
	table := [][]string{{"id", "price", "spare", "age", "size", "city", "ok", "member", "street", "name",
		"nickname", "same", "class"}}
	streets := r.Perm(rows)
	for i := range rows {
		table = append(table, []string{
			fmt.Sprint(i), number(), rarely(5, number(), "0"), rarely(20, "", fmt.Sprint(r.IntN(90))),
			rarely(50, pick("none", "-"), number()), pick("Rome", "Oslo", "Paris", "Łódź", "NA"),
			pick("yes", "no"), rarely(40, "", pick("yes", "no")),
			fmt.Sprintf("street %d", streets[i]/2%(rows/2)), fmt.Sprintf("Ann %d", r.Int64N(1<<40)),
			rarely(3, "", fmt.Sprintf("A%d", i)), "1", pick("a", "b", "c"),
		})
	}
	return written(t, table)
}

func TestGolden(t *testing.T) {
	const want = "f698ae415c5092130b37b175db0ed0cdb0cbeb176202a18403cad80704bdd37d"
	text := allKinds(t)
	e := fitted(t, text)
	kinds := ""
	for i := range e.Columns {
		kinds += fmt.Sprintf("%s %d ", e.Columns[i].Kind, e.FeaturesOf(i))
	}
	if kinds != "left out 0 number 1 number 1 number 2 number 2 category 5 category 1 category 2 "+
		"category 4096 left out 0 category 1 left out 0 " {
		t.Fatal(kinds)
	}
	s, err := encoded(e, text, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if have := hashOf(s); have != want {
		t.Errorf("hash %s, want %s", have, want)
	}
}

func TestConvert(t *testing.T) {
	text, dir := allKinds(t), t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var opt dataset.Options
	e := fitted(t, text)
	opt.Encoder = e.Coder()
	files := [2][]byte{}
	for i, write := range []func(*os.File) error{
		func(f *os.File) error {
			s, err := dataset.Read(path, opt)
			if err == nil {
				err = dataset.WritePGSM(f, s)
			}
			return err
		},
		func(f *os.File) error {
			rows, cols, err := dataset.ConvertCSV(f, path, opt)
			if rows != 10_000 || cols != e.Cols() {
				t.Errorf("%d x %d", rows, cols)
			}
			return err
		},
	} {
		name := filepath.Join(dir, fmt.Sprint(i, ".pgsm"))
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if files[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("other bytes")
	}
}

func BenchmarkKinds(b *testing.B) {
	text := allKinds(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		fitted(b, text)
	}
}
