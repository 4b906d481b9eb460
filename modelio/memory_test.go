//go:build !race

package modelio_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/testing/memtest"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

// hostileSize is the approximate size of the hostile files in bytes.
var hostileSize = 4 << 20

func repeated(text string) string {
	n := hostileSize / (len(text) + 1)
	return strings.Repeat(text+",", n-1) + text
}

func count(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",%d", i)
	}
	return b.String()[1:]
}

func sealed(header string, numbers int) []byte {
	b := append([]byte(header+"\n"), make([]byte, numbers)...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// sparseFile returns a model file with the given number of stored weights. These are the first
// weights, all 0.01; all others are 0.
func sparseFile(features, classes, vectors, stored int) []byte {
	all := vectors * features
	bits, values := make([]byte, (all+7)/8), make([]byte, 4*stored)
	for k := range stored {
		bits[k/8] |= 1 << (k % 8)
		binary.LittleEndian.PutUint32(values[4*k:], math.Float32bits(0.01))
	}
	header := linear(map[string]string{"features": fmt.Sprint(features), "sparse": "true",
		"classes": "[" + count(classes) + "]", "config": `{"multiclass":"ovo"}`})
	b := slices.Concat([]byte(header+"\n"), bits, values)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

const (
	linearResult = `{"steps":1,"epochs":1,"violations":1,"r2":1,"t0":1}`
	kernelConfig = `{"kernel":"rbf","gamma":1,"lambda":1,"epochs":1,"order":"permutation",` +
		`"offset":"r2","average":"last-half","finish":"dual","passes":100,"tol":0.01,` +
		`"multiclass":"ovo"}`
	kernelResult = `{"steps":1,"epochs":1,"passes":1,"violations":1,"r2":1,"t0":1}`
)

const proofLines = "pegasimd proof 1\nmodel_hash: \"\"\ndata: \"\"\nvectors: "

func linear(lines map[string]string) string {
	return header("pegasimd model 1\n", lines, [][2]string{
		{"features", "1"}, {"sparse", ""}, {"classes", "[0,1]"}, {"names", ""}, {"bias", "false"},
		{"index_base", "0"}, {"hash_bits", ""}, {"table", ""}, {"calibration", ""},
		{"lambda", "1"}, {"prior", ""}, {"config", "{}"}, {"result", linearResult}, {"state", ""},
	})
}

func kernel(lines map[string]string) string {
	return header("pegasimd kernel model 1\n", lines, [][2]string{
		{"features", "1"}, {"classes", "[0,1]"}, {"names", ""}, {"index_base", "0"},
		{"lambda", "1"}, {"config", kernelConfig}, {"layout", `"dense"`}, {"support", "[1,0]"},
		{"result", kernelResult},
	})
}

func header(magic string, lines map[string]string, defaults [][2]string) string {
	for _, f := range defaults {
		value, ok := lines[f[0]]
		if !ok {
			value = f[1]
		}
		if value != "" {
			magic += f[0] + ": " + value + "\n"
		}
	}
	return magic
}

func named[M any](read func(io.Reader) (M, error)) func(name string) error {
	return func(name string) error {
		_, err := modelfile.ReadFile(name, read)
		return err
	}
}

// inPart returns a function that reads a file, and that also returns an error unless the file is
// compressed and read consumed at most two thirds of it.
func inPart[M any](read func(io.Reader) (M, error)) func(name string) error {
	return func(name string) error {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		var packed int64
		_, err = modelfile.ReadFile(name, func(r io.Reader) (M, error) {
			m, err := read(r)
			packed, _ = files.Packed(r)
			return m, err
		})
		if packed == 0 || 3*packed > 2*info.Size() {
			return fmt.Errorf("%d of %d compressed bytes were read, want 1 to two thirds", packed,
				info.Size())
		}
		return err
	}
}

var (
	readNative    = named(modelio.Read)
	readLiblinear = named(modelio.ReadLiblinear)
	readJSON      = named(modelio.ReadJSON)
)

func TestMemory(t *testing.T) {
	if testing.Short() {
		hostileSize = 2 << 20
	}
	const pairs = 2048 * 2047 / 2
	cases := map[string]memtest.Case{}
	add := func(name string, read func(string) error, file func() []byte, err string) {
		cases[name] = memtest.Case{File: file, Read: read, Error: err}
	}
	lin := func(name, key string, value func() string, numbers int, err string) {
		add("linear: "+name, readNative, func() []byte {
			return sealed(linear(map[string]string{key: value()}), numbers)
		}, err)
	}
	array := func(text string) func() string {
		return func() string { return "[" + repeated(text) + "]" }
	}
	state := func(key, text string) func() string {
		return func() string {
			return `{"data":"","round":0,"look":0,"` + key + `":[` + repeated(text) + `]}`
		}
	}
	result := func(text string) func() string {
		return func() string {
			return linearResult[:len(linearResult)-1] + `,"per_class":[` + repeated(text) + `]}`
		}
	}
	ovo := func(features string, numbers int) func() []byte {
		return func() []byte {
			return sealed(linear(map[string]string{"features": features,
				"classes": "[" + count(2048) + "]", "config": `{"multiclass":"ovo"}`}), numbers)
		}
	}
	add("linear: pairs of no features", readNative, ovo("0", 0), "2096128 weight vectors")
	add("linear: pairs of one feature", readNative, ovo("1", 4*pairs), "")
	add("linear: large", readNative, func() []byte {
		return sealed(linear(map[string]string{"features": fmt.Sprint(hostileSize / 4)}),
			hostileSize)
	}, "")
	sparse := func(name string, features, classes, stored int, err string) {
		add("linear: sparse, "+name, readNative, func() []byte {
			vectors := 1
			if classes > 2 {
				vectors = classes * (classes - 1) / 2
			}
			return sparseFile(features, classes, vectors, stored)
		}, err)
	}
	sparse("zeros", 8*hostileSize, 2, 0, "more memory")
	sparse("rows of zeros", 17, 2048, 0, "more memory")
	sparse("few zeros", hostileSize/4, 2, hostileSize/4, "")
	const most = 32 << 20 // number of features, of which at least 3/128 must be nonzero
	sparse("as many zeros as may be", most, 2, 3*most/128, "")
	sparse("more zeros than may be", most, 2, 3*most/128-1000, "more memory")
	sparse("as many zeros in rows as may be", 17, 1024, 1<<19, "")
	lin("classes", "classes", array("0"), 4, "more than 65536 elements")
	lin("names", "names", array(`""`), 4, "more than 65536 elements")
	lin("a name", "names", func() string { return `["` + repeated("a") + `"]` }, 4, "1 name for")
	lin("calibration", "calibration", array("{}"), 4, "sigmoids")
	lin("table", "table", array("0"), 4, "")
	lin("space", "features", func() string { return strings.Repeat(" ", hostileSize) + "1" }, 4, "")
	lin("digits", "features", func() string { return strings.Repeat("1", hostileSize) }, 4,
		"features")
	lin("prior", "prior", func() string { return `"` + repeated("a") + `"` }, 4, "")
	lin("classes of results", "result", result("{}"), 4, "more memory")
	lin("counted classes of results", "result", result(`{"violations":0}`), 4,
		"")
	lin("learners", "state", state("learners", "{}"), 4, "more memory")
	lin("runs", "state", state("runs", "{}"), 4, "more memory")
	lin("arrays", "state", state("arrays", "0"), 4, "more memory")
	lin("deep", "table", func() string { return strings.Repeat("[", hostileSize) }, 4, "depth")
	lin("sums of a learner", "state", func() string {
		return `{"data":"","arrays":[],"round":0,"look":0,"runs":[],"learners":[{"vb":[` +
			repeated("0") + `]}]}`
	}, 4, "")

	ker := func(name string, lines func() map[string]string, numbers int, err string) {
		add("kernel: "+name, readNative, func() []byte {
			return sealed(kernel(lines()), numbers)
		}, err)
	}
	ker("support", func() map[string]string {
		return map[string]string{"support": "[" + repeated("0") + "]"}
	}, 8, "more than 65536 elements")
	ker("classes", func() map[string]string {
		return map[string]string{"classes": "[" + repeated("0") + "]"}
	}, 8, "more than 65536 elements")
	ker("rows of no features", func() map[string]string {
		return map[string]string{"features": "0", "support": fmt.Sprintf("[%d,0]", 1<<20)}
	}, 4<<20, "")
	ker("rows of one feature", func() map[string]string {
		return map[string]string{"support": fmt.Sprintf("[%d,0]", 3<<20)}
	}, 24<<20, "")
	ker("sparse rows of one feature", func() map[string]string {
		return map[string]string{"layout": `"sparse"`, "support": fmt.Sprintf("[%d,0]", 3<<20)}
	}, 24<<20, "")
	ker("pairs", func() map[string]string {
		return map[string]string{"classes": "[" + count(360) + "]",
			"support": "[" + strings.Repeat("40,", 359) + "40]"}
	}, 4*40*360*(1+359), "")
	ker("pairs of one row", func() map[string]string {
		return map[string]string{"classes": "[" + count(360) + "]",
			"support": "[" + strings.Repeat("1,", 359) + "1]"}
	}, 4*360*(1+359), "")

	text := func(name string, header string, file func() string, err string) {
		add("liblinear: "+name, readLiblinear, func() []byte {
			return []byte("solver_type L2R_L1LOSS_SVC_DUAL\n" + header + "w\n" + file() + "\n")
		}, err)
	}
	text("narrow", "nr_class 65536\nlabel "+strings.ReplaceAll(count(65536), ",", " ")+
		"\nnr_feature 1\nbias -1\n", func() string { return strings.Repeat("0 ", 65536) }, "")
	text("wide", fmt.Sprintf("nr_class 2\nlabel 1 0\nnr_feature %d\nbias -1\n", hostileSize/2),
		func() string { return strings.Repeat("0 ", hostileSize/2) }, "")
	text("cut", "nr_class 2\nlabel 1 0\nnr_feature 2000000000\nbias -1\n",
		func() string { return strings.Repeat("0 ", hostileSize/2) }, "cut short")
	text("space", "nr_class 2\nlabel 1 0\nnr_feature 1\nbias -1\n",
		func() string { return strings.Repeat(" ", hostileSize) }, "cut short")

	object := func(name, key string, value func() string, err string) {
		add("JSON: "+name, readJSON, func() []byte {
			var b bytes.Buffer
			m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{0}}, Lambda: 1}
			if err := modelio.WriteJSON(&b, m); err != nil {
				panic(err)
			}
			lines := strings.Split(b.String(), "\n")
			for i, line := range lines {
				have, _, _ := strings.Cut(strings.TrimSpace(line), ":")
				if have == `"hash"` || have == `"`+key+`"` {
					lines[i] = ""
				}
			}
			lines[0] = `{"` + key + `":` + value() + ","
			text := strings.Join(lines, "\n")
			if key == "weights" {
				at := strings.LastIndex(text, ",")
				text = text[:at] + "}"
			}
			return []byte(text)
		}, err)
	}
	object("vectors", "weights", array("[]"), "weight")
	object("vectors of one weight", "weights", array("[0]"), "weight")
	object("a vector", "weights", func() string { return "[[" + repeated("0") + "]]" },
		"in vector 0")
	object("classes", "classes", array("0"), "more than 65536 elements")
	object("biases", "biases", array("0"), "biases")
	object("names", "names", array(`""`), "more than 65536 elements")
	object("calibration", "calibration", array("{}"), "sigmoids")
	object("table", "table", array("0"), "")
	object("classes of results", "result", result("{}"), "more memory")
	object("counted classes of results", "result", result(`{"violations":0}`), "")
	object("space", "features", func() string { return strings.Repeat(" ", hostileSize) + "1" }, "")
	object("unknown", "unknown", array("0"), "unknown")
	memtest.Test(t, cases)
}

// bomb makes a small gzip file of about 200 MiB of text: begin, then again many times.
func bomb(begin, again string) func() []byte {
	return func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, begin)
		piece := strings.Repeat(again, 1<<20/len(again))
		for range 200 {
			io.WriteString(z, piece)
		}
		if err := z.Close(); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

func upTo(header, line string) string {
	before, _, ok := strings.Cut(header, "\n"+line+":")
	if !ok {
		panic(line)
	}
	return before + "\n" + line + ": "
}

func TestCompressedMemory(t *testing.T) {
	native, proof := inPart(modelio.Read), inPart(pegasos.ReadProof)
	liblinear, json := inPart(modelio.ReadLiblinear), inPart(modelio.ReadJSON)
	const packed, many = "holds more than the compressed bytes", "more than 65536 elements"
	text := func(features string) string {
		return "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 0\nnr_feature " + features +
			"\nbias -1\nw\n"
	}
	state := map[string]string{"state": "0"}
	cases := map[string]memtest.Case{}
	for _, c := range []struct {
		name         string
		read         func(string) error
		begin, again string
		err          string
	}{
		{"linear: classes", native, upTo(linear(nil), "classes") + "[0", ",0", many},
		{"linear: a name", native, upTo(linear(nil), "classes") + `[0,1]` + "\nnames: [\"", "a",
			packed},
		{"linear: space", native, upTo(linear(nil), "features"), " ", packed},
		{"linear: arrays", native, upTo(linear(state), "state") + `{"arrays":[0`, ",0", packed},
		{"linear: weights", native, linear(map[string]string{"features": "50000000"}) + "\n",
			"\x00", packed},
		{"linear: bits", native, linear(map[string]string{"features": "1000000000",
			"sparse": "true"}) + "\n", "\x00", packed},
		{"checkpoint: numbers", native, linear(map[string]string{"state": `{"data":"",` +
			`"arrays":[50000000],"round":0,"look":0,"runs":[],"learners":[]}`}) + "\n", "\x00", packed},
		{"checkpoint: learners", native, upTo(linear(state), "state") +
			`{"data":"","arrays":[],"round":0,"look":0,"runs":[],"learners":[{}`, ",{}", packed},
		{"proof: vectors", proof, proofLines + `[{}`, ",{}", packed},
		{"proof: shares", proof, proofLines + `[{"shares":100000000,"signed":false,"scale":1}]` +
			"\n\n", "\x00", packed},
		{"kernel: support", native, upTo(kernel(nil), "support") + "[0", ",0", many},
		{"kernel: rows", native, kernel(map[string]string{"support": "[20000000,5000000]"}) +
			"\n", "\x00", packed},
		{"kernel: sparse rows", native, kernel(map[string]string{"layout": `"sparse"`,
			"support": "[20000000,5000000]"}) + "\n", "\x00", packed},
		{"liblinear: weights", liblinear, text("100000000"), "0 ", packed},
		{"liblinear: space", liblinear, text("1"), " ", packed},
		{"JSON: classes", json, `{"classes":[0`, ",0", many},
		{"JSON: a vector", json, `{"weights":[[0`, ",0", packed},
		{"JSON: vectors", json, `{"weights":[[0]`, ",[]", packed},
		{"JSON: space", json, "{", " ", packed},
	} {
		cases[c.name] = memtest.Case{File: bomb(c.begin, c.again), Read: c.read, Error: c.err}
	}
	// These files unpack to about as much as readers allow for their size.
	whole := func(name, header string, numbers, level int) {
		cases[name] = memtest.Case{Read: readNative, File: func() []byte {
			var b bytes.Buffer
			z, _ := gzip.NewWriterLevel(&b, level)
			z.Write(sealed(header, numbers))
			z.Close()
			return b.Bytes()
		}}
	}
	whole("linear: whole", linear(map[string]string{"features": "2000000"}), 8_000_000,
		gzip.BestSpeed)
	whole("linear: sparse", linear(map[string]string{"features": "4194304", "sparse": "true"}),
		4194304/8, gzip.BestCompression)
	whole("kernel: whole", kernel(map[string]string{"layout": `"sparse"`,
		"support": "[1000000,0]"}), 8_000_000, gzip.BestSpeed)
	if !testing.Short() {
		whole("linear: large", linear(map[string]string{"features": "25000000"}), 100_000_000,
			gzip.HuffmanOnly)
		whole("kernel: large", kernel(map[string]string{"layout": `"sparse"`,
			"support": "[12500000,0]"}), 100_000_000, gzip.HuffmanOnly)
	}
	memtest.Test(t, cases)
}
