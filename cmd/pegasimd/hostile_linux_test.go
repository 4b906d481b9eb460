package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/budget"
	"github.com/pegasimd/pegasimd/internal/memtest"
)

// peakVariable names the file that the test binary, as the command, writes its peak memory to.
const peakVariable = "PEGASIMD_TEST_PEAK"

func init() {
	if file := os.Getenv(peakVariable); file != "" {
		collectAbove = func(bytes int64) { debug.SetMemoryLimit(bytes) } // as the program does
		code := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
		told := strconv.FormatInt(memtest.Self(), 10)
		if err := os.WriteFile(file, []byte(told), 0o666); err != nil {
			panic(err)
		}
		os.Exit(code)
	}
}

// A hostileFile asks for more memory than it pays for.
type hostileFile struct {
	text     string
	rows     int
	unpacked int // bytes; 0 for those of the text
}

// hostileFiles are files of every form, by their names. A name with a comma is two of them.
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
	files["rows.svm.gz"] = zippedFile(files["rows.svm"])
	files["columns.csv.gz"] = zippedFile(files["columns.csv"])
	return files
}

// array returns the header of an .npy file.
func array(kind, shape string) string {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	dict += strings.Repeat(" ", 64-(11+len(dict))%64) + "\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(dict)), byte(len(dict) >> 8)}) + dict
}

// idxArray returns an IDX file of bytes that are 0 and 1 in turn.
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
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(f.text)) // to memory it can't fail
	z.Close()
	return hostileFile{b.String(), f.rows, len(f.text)}
}

// No file gets more memory than it pays for, whatever it claims, and whether it is used or refused:
// 64 MB, 20 times its unpacked size, and 64 bytes a row.
func TestHostileMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute, and the race detector takes memory")
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
				{"train", "-epochs", "1", data, out + ".model"},
				{"train", "-epochs", "1", "-multiclass", "ovr", data, out + ".model"},
				{"predict", data, model, out},
				{"convert", data, out + ".pgsm"},
				{"scale", data, out + ".svm"},
			}
			// These flags may take more, as docs/data.md says.
			more := map[string]int{"-proba": 90 << 20, "-scale=standard": 110 << 20}
			if f.rows <= 100 { // else it takes long
				for _, flag := range []string{"-seed=0", "-proba", "-scale=standard"} {
					commands = append(commands, []string{"train", flag, data, out + ".model"})
				}
			}
			for _, args := range commands {
				have, code := peakOf(t, append([]string{args[0], "-quiet", "-force"}, args[1:]...))
				want := max(more[args[1]], int(budget.Allowed(int64(size), int64(f.rows))))
				if have > want || code > exitUsage {
					t.Errorf("%q: exit code %d, %d MB of memory, %.1f times its size; want %d MB",
						args[:2], code, have>>20, float64(have)/float64(size), want>>20)
				}
			}
		})
	}
}

// Short rows get no more memory from a model of many weight vectors: their scores are found a block
// at a time, and are the same.
func TestPredictMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory")
	}
	dir := t.TempDir()
	const classes, rows, most = 40, 40_000, 100 // 780 pairs
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
				t.Errorf("%s %s: exit code %d, %d MB of memory, want %d MB", kind, form, code,
					have>>20, allowed>>20)
			}
			all, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			must(t, "predict", "-force", form, small, model, out)
			first, err := os.ReadFile(out)
			if err != nil || !bytes.HasPrefix(all, first) ||
				bytes.Count(all, []byte("\n")) < rows {
				t.Errorf("%s %s: the first %d of many rows are predicted otherwise: %v", kind,
					form, most, err)
			}
		}
	}
}

// writeHostile writes a file, or two, and returns the name and the unpacked size.
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
		if err := os.WriteFile(filepath.Join(dir, name), []byte(texts[i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if two {
		return filepath.Join(dir, first) + "," + filepath.Join(dir, second), size
	}
	return filepath.Join(dir, first), size
}

// peakOf runs a command and returns the most memory that it has had, in bytes.
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
