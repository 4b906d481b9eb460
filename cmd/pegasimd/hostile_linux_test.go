package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/testing/memtest"
)

// peakVariable names a file for the peak memory, in bytes, of the test binary run as the command.
const peakVariable = "PEGASIMD_TEST_PEAK"

func init() {
	if file := os.Getenv(peakVariable); file != "" {
		setCollector()
		code := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
		told := strconv.FormatInt(memtest.Self(), 10)
		if err := os.WriteFile(file, []byte(told), 0o666); err != nil {
			panic(err)
		}
		os.Exit(code)
	}
}

type hostileFile struct {
	text     string
	rows     int
	unpacked int // bytes after decompression; 0 for the length of the text
}

// A name with a comma stands for two files, whose texts a comma separates.
func hostileFiles() map[string]hostileFile {
	lines := func(n int, line func(i int) string) hostileFile {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return hostileFile{text: b.String(), rows: n}
	}
	commas := "1" + strings.Repeat(",", 4_000_000) + "\n"
	files := map[string]hostileFile{
		"one index of 2^27.svm": {text: "1 1:1\n-1 134217728:1\n", rows: 2},
		"one index of 2^20.svm": {text: "1 1:1\n-1 1048576:1\n", rows: 2},
		"some indices of 2^20.svm": lines(100, func(i int) string {
			return fmt.Sprintf("%d %d:1 %d:1\n", i%2, 1+5000*i, 1<<20-4999*i)
		}),
		"wide classes.svm": {text: "1 1:1\n2 1048576:1\n3 4:1\n", rows: 3},
		"labels.svm": lines(65_536, func(i int) string {
			return fmt.Sprintf("%d 1:1 7:%d\n", i, i%9)
		}),
		"some labels.svm": lines(2_000, func(i int) string { return fmt.Sprintf("%d 1:1\n", i) }),
		"classes of wide rows.svm": lines(2_000, func(i int) string {
			return fmt.Sprintf("%d %d:1 %d:1\n", i%200, 1+i, 1<<20-400*i)
		}),
		"rows.svm": lines(500_000, func(i int) string { return "1\n2\n"[2*(i%2):][:2] }),
		"one line.svm": lines(2, func(i int) string {
			return "1 1:1 #" + strings.Repeat("#", 4_000_000) + "\n"
		}),
		"columns.csv":  {text: commas, rows: 1},
		"columns2.csv": {text: "1,2\n" + commas, rows: 2},
		"cell.csv":     {text: "1," + strings.Repeat("2", 4_000_000) + "\n", rows: 1},
		"quote.csv":    {text: "1,\"" + strings.Repeat("\"\"", 1_000_000) + "\"\n", rows: 1},
		"narrow.csv": lines(500_000, func(i int) string {
			return "1,0\n0,1\n"[4*(i%2):][:4]
		}),
		"names.csv":   lines(300_000, func(i int) string { return fmt.Sprintf("%d,n%x\n", i%2, i) }),
		"columns.tsv": {text: strings.ReplaceAll(commas, ",", "\t"), rows: 1},
		"wide.npy": {rows: 1, text: array("|b1", "(1, 4000000)") +
			strings.Repeat("\x01", 4_000_000)},
		"lie.npy": {rows: 0, text: array("<f4", "(100000, 10000)")},
		"narrow.npy": {rows: 1_000_000, text: array("|b1", "(1000000, 2)") +
			strings.Repeat("\x01\x00\x00\x01", 500_000)},
		"x-idx3-ubyte,x-idx1-ubyte": {rows: 1_000_000,
			text: idxArray(1_000_000, 1, 1) + "," + idxArray(1_000_000)},
		"wide-idx3-ubyte,wide-idx1-ubyte": {rows: 1,
			text: idxArray(1, 4_000_000, 1) + "," + idxArray(1)},
	}
	table := func(columns, rows int, cell func(i, j int) string) hostileFile {
		return lines(rows, func(i int) string {
			var b strings.Builder
			for j := range columns {
				b.WriteString(cell(i, j) + ",")
			}
			return fmt.Sprintf("%s%c\n", b.String(), "pq"[i%2])
		})
	}
	// All features repeat the column's long name.
	named := func(f hostileFile) hostileFile {
		f.text = strings.Repeat("n", 60_000) + ",label\n" + f.text
		return f
	}
	words := func(i, j int) string { return fmt.Sprintf("w%d of %d is the x%d", i*j%97, i, i*i%89) }
	files["texts.csv"] = table(60, 24, words)
	files["many texts.csv"] = table(64, 1000, words)
	files["lines.tsv"] = lines(5000, func(i int) string {
		return fmt.Sprintf("%c\t%s\n", "pq"[i%2], words(i, 3))
	})
	files["first cells.csv"] = table(64, 2, func(i, _ int) string { return "a b c d"[:7-2*i] })
	files["text of a long name.csv"] = named(table(1, 600, words))
	files["words of a long name.csv"] = named(table(1, 8192, func(i, _ int) string {
		return fmt.Sprintf("v%d", i%4096)
	}))
	files["hashed words of a long name.csv"] = named(table(1, 10_000, func(i, _ int) string {
		return fmt.Sprintf("v%d", i%5000)
	}))
	files["dates.csv"] = table(20_000, 4, func(i, _ int) string {
		return fmt.Sprintf("20%d-0%d-0%[2]d", 10+i, 1+i)
	})
	files["columns of words.csv"] = table(200_000, 4, func(i, j int) string { return "abba"[i:][:1] })
	files["fewer columns of words.csv"] = table(25_000, 4, func(i, j int) string {
		return "abba"[i:][:1]
	})
	files["different numbers.csv"] = table(5000, 300, func(i, j int) string {
		return fmt.Sprint(i, "b"[min(1, i+j):])
	})
	files["different words.csv"] = table(2, 100_000, func(i, j int) string {
		return fmt.Sprintf("%xz", i+j)
	})
	files["texts.csv.gz"] = zippedFile(files["texts.csv"])
	files["rows.svm.gz"] = zippedFile(files["rows.svm"])
	files["columns.csv.gz"] = zippedFile(files["columns.csv"])
	for name, window := range map[string]byte{"window of 32 MB.csv.zst": 15 << 3, // 2^(10+15) bytes
		"window of 2 GB.csv.zst": 21 << 3} {
		text := "a,b\n1,0\n2,1\n3,0\n4,1\n"
		last := len(text)<<3 | 1 // header of the last block, which is not compressed
		files[name] = hostileFile{"\x28\xb5\x2f\xfd\x00" + string([]byte{window, byte(last), 0, 0}) +
			text, 4, len(text)}
	}
	return files
}

func array(kind, shape string) string {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	dict += strings.Repeat(" ", 64-(11+len(dict))%64) + "\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(dict)), byte(len(dict) >> 8)}) + dict
}

func idxArray(dims ...int) string {
	b := []byte{0, 0, 8, byte(len(dims))}
	n := 1
	for _, d := range dims {
		n *= d
		b = binary.BigEndian.AppendUint32(b, uint32(d))
	}
	return string(b) + strings.Repeat("\x00\x01", n/2) + "\x01"[:n%2]
}

func zippedFile(f hostileFile) hostileFile {
	return hostileFile{gzipped(f.text), f.rows, len(f.text)}
}

// The size and the rows of a file limit a command's memory, whatever the file claims and even if it
// is refused.
func TestHostileMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and the race detector takes memory")
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	for name, f := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			data, size := writeHostile(t, f, name)
			out := filepath.Join(t.TempDir(), "out")
			commands := [][]string{
				{"inspect", data},
				{"train", "-epochs", "1", "-multiclass", "ovr", data, out + ".model"},
				{"predict", data, model, out},
				{"eval", data, model},
				{"convert", data, out + ".pgsm"},
				{"convert", data, out + ".svm"},
				{"train", "-epochs", "1", data, out + ".model"},
				{"predict", data, out + ".model", out},
				{"verify", out + ".model", data},
			}
			more := map[string]int{"-proba": 90 << 20, "-scale=standard": 110 << 20}
			if f.rows <= 100 { // more rows would take long
				for _, flag := range []string{"-seed=0", "-proba", "-scale=standard"} {
					commands = append(commands, []string{"train", flag, data, out + ".model"})
				}
			}
			for _, args := range commands {
				size := int64(size)
				if info, err := os.Stat(out + ".model"); err == nil && args[0] != "train" {
					size += info.Size() // the command may read the model, too
				}
				checkPeak(t, args, max(more[args[1]], int(budget.Allowed(size, int64(f.rows)))))
			}
		})
	}
}

func checkPeak(t *testing.T, args []string, want int) (code int) {
	t.Helper()
	args = append([]string{args[0], "-quiet", "-force"}, args[1:]...)
	t.Setenv("GOMAXPROCS", "8")
	// A loaded machine may delay the garbage collector, which adds megabytes: only three peaks
	// above the limit are an error.
	var have int
	for try := 0; try < 3 && (try == 0 || have > want); try++ {
		have, code = peakOf(t, args)
	}
	if have > want || code > exitNothing {
		t.Errorf("%q: exit code %d, %d MB of memory, want at most %d MB", args, code, have>>20,
			want>>20)
	}
	return code
}

func hostileModels() map[string]struct {
	columns  []string // columns of the encoder, in JSON
	features int
} {
	type model = struct {
		columns  []string
		features int
	}
	many := func(n int, column string) (all []string) {
		for range n {
			all = append(all, column)
		}
		return all
	}
	text := func(name string, buckets int) string {
		// Buckets have consecutive numbers, and each occurs in 2 rows.
		listed, _ := json.Marshal(bytes.Repeat([]byte{1, 2}, buckets))
		return fmt.Sprintf(`{"name":%q,"kind":"text","rows":9,"text":{"bits":20,"grams":2,`+
			`"buckets":%s}}`, name, listed)
	}
	long := strings.Repeat("n", 60_000)
	number := `{"name":"a","kind":"number","rows":1,"factor":1`
	return map[string]model{
		"texts of one bucket":  {many(60, text("a", 1)), 60},
		"texts of all buckets": {many(4, text("a", 1<<20)), 4 << 20},
		"a long name of text":  {[]string{text(long, 60_000)}, 60_000},
		"a long name of hashes": {[]string{`{"name":"` + long +
			`","kind":"category","rows":9,"hash_bits":12}`}, 1 << 12},
		"columns left out": {append(many(300_000, `{"kind":"left out","rows":1}`), number+"}"), 1},
		"dates": {many(20_000, `{"name":"a","kind":"date","rows":99,"factor":1,"counts":[1`+
			strings.Repeat(",1", 18)+`]}`), 400_000},
		"gap words": {[]string{number + `,"gap_words":[""` + strings.Repeat(`,""`, 500_000) + "]}"}, 1},
	}
}

func TestHostileEncoders(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory")
	}
	for name, m := range hostileModels() {
		t.Run(name, func(t *testing.T) {
			head := fmt.Sprintf("pegasimd model 1\nfeatures: %d\nsparse: true\nclasses: [0,1]\n"+
				`names: ["p","q"]`+"\nbias: false\nindex_base: 1\n"+
				`table: {"encoder":1,"columns":[%s],"label_at":-1}`+"\nlambda: 1\nconfig: {}\n"+
				`result: {"steps":1,"epochs":1,"violations":1,"r2":1,"t0":1}`+"\n\n", m.features,
				strings.Join(m.columns, ","))
			text := append([]byte(head), make([]byte, (m.features+7)/8)...)
			text[len(head)] = 1 // the first weight is not 0
			text = append(text, 0, 0, 128, 63)
			sum := sha256.Sum256(text)
			model := file(t, "hostile.model", string(append(text, sum[:]...)))
			row := strings.Repeat("1,", len(m.columns))
			data := file(t, "x.csv", row+"p\n"+row+"q\n")
			out := filepath.Join(t.TempDir(), "out")
			size := int64(len(text) + 2*len(row))
			for _, args := range [][]string{{"inspect", model}, {"predict", data, model, out},
				{"eval", data, model}, {"verify", model, data},
				{"convert", "-for", model, data, out + ".pgsm"}} {
				if code := checkPeak(t, args, int(budget.Allowed(size, 2))); code == exitUsage {
					t.Errorf("%q: the exit code says that the command line is wrong", args)
				}
			}
		})
	}
}

// The first rows get the predictions that they get alone.
func TestPredictMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory")
	}
	dir := t.TempDir()
	const classes, rows, most = 40, 40_000, 100 // 780 pairs of classes
	var few, many strings.Builder
	for i := range rows {
		fmt.Fprintf(&many, "%d %d:1\n", i%classes, 1+i%classes)
		if i == most {
			few.WriteString(many.String())
		}
	}
	small, large := file(t, "small.svm", few.String()), file(t, "large.svm", many.String())
	allowed := int(budget.Allowed(int64(many.Len()), rows))
	for kind, c := range map[string]struct{ train, predict []string }{
		"linear": {nil, []string{"-quiet", "-scores"}},
		"kernel": {[]string{"-kernel", "rbf", "-gamma", "1"}, []string{"-quiet"}},
	} {
		model, out := filepath.Join(dir, kind), filepath.Join(dir, kind+".out")
		must(t, append(append([]string{"train", "-quiet", "-multiclass", "ovo"}, c.train...), small,
			model)...)
		for _, form := range c.predict {
			have, code := peakOf(t, []string{"predict", "-force", form, large, model, out})
			if have > allowed || code != 0 {
				t.Errorf("%s %s: exit code %d, %d MB of memory, want at most %d MB", kind, form,
					code, have>>20, allowed>>20)
			}
			all := read(t, out)
			must(t, "predict", "-force", form, small, model, out)
			if !strings.HasPrefix(all, read(t, out)) {
				t.Errorf("%s %s: the first of many rows have other predictions", kind, form)
			}
			if n := strings.Count(all, "\n"); n < rows {
				t.Errorf("%s %s: %d lines, want at least %d", kind, form, n, rows)
			}
		}
	}
}

func writeHostile(t *testing.T, f hostileFile, name string) (path string, size int) {
	t.Helper()
	dir := t.TempDir()
	size = max(len(f.text), f.unpacked)
	first, second, two := strings.Cut(name, ",")
	texts := []string{f.text}
	if two {
		n := strings.LastIndex(f.text, ",\x00\x00\x08\x01")
		texts = []string{f.text[:n], f.text[n+1:]}
	}
	for i, name := range []string{first, second}[:len(texts)] {
		write(t, filepath.Join(dir, name), texts[i])
	}
	if two {
		return filepath.Join(dir, first) + "," + filepath.Join(dir, second), size
	}
	return filepath.Join(dir, first), size
}

func peakOf(t *testing.T, args []string) (most, code int) {
	t.Helper()
	told := filepath.Join(t.TempDir(), "peak")
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), peakVariable+"="+told)
	out, err := cmd.CombinedOutput()
	text, readErr := os.ReadFile(told)
	if readErr != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	if most, err = strconv.Atoi(string(text)); err != nil {
		t.Fatal(err)
	}
	return most, cmd.ProcessState.ExitCode()
}

// Training keeps an unscaled and a scaled copy of the padded float32 rows.
func TestTrainMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("trains on 320,000 rows")
	}
	const rows, cols = 320_000, 54 // the terms of curves are too many to be stored
	x := []byte(array("<f4", fmt.Sprintf("(%d, %d)", rows, cols+1)))
	g := rand.New(rand.NewPCG(1, 2))
	for range rows {
		score, unit := g.NormFloat64(), 1.0
		for j := range cols {
			v := g.NormFloat64()
			if score += v / 7; j < 3 {
				score += v*v - 1
			}
			unit *= 1.1
			x = binary.LittleEndian.AppendUint32(x, math.Float32bits(float32(v*unit)))
		}
		label := math.Float32bits(0)
		if score > 0 {
			label = math.Float32bits(1)
		}
		x = binary.LittleEndian.AppendUint32(x, label)
	}
	dir := t.TempDir()
	npy := filepath.Join(dir, "x.npy")
	write(t, npy, x)
	for _, name := range []string{"x.npy", "x.csv"} {
		file := filepath.Join(dir, name)
		if file != npy {
			must(t, "convert", npy, file)
		}
		have, code := peakOf(t, []string{"train", "-quiet", file, file + ".model"})
		const padded = 4 * 64 * rows
		t.Logf("%s: %.1f MB, %.2f times the rows", name, float64(have)/1e6, float64(have)/padded)
		if want := 3 * padded; code != 0 || have > want {
			t.Errorf("%s: exit code %d, %d bytes of memory, want at most %d",
				name, code, have, want)
		}
	}
}
