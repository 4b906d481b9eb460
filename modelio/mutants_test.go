package modelio

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

var mutants = flag.Int("mutants", 2000, "number of mutants of each file that TestMutants reads")

var pieces = []string{
	"0", "-1", "1e999", "NaN", "null", "{}", "[]", "[[", "]", "}", ",", ":", "\n", "\n\n", " ", `"`,
	"4294967296", "9223372036854775807", "1e-320", "true", "\x00", "\xff\xff\xff\x7f", "\x1b[31m", "\u202e",
	"classes: [0,1]\n", "features: 3\n", "sparse: true\n", `"vb":[1]`, "w\n", "nr_class 3\n",
}

func mutant(g *rand.Rand, text []byte) []byte {
	text = bytes.Clone(text)
	for range 1 + g.IntN(4) {
		if len(text) == 0 {
			break
		}
		at := g.IntN(len(text))
		if head := bytes.Index(text, []byte("\n\n")); head > 0 && g.IntN(4) > 0 {
			at = g.IntN(head) // prefer the header: most bytes of a file are numbers
		}
		end := min(len(text), at+1+g.IntN(1<<g.IntN(7)))
		switch g.IntN(8) {
		case 0:
			text[at] ^= 1 << g.IntN(8)
		case 1:
			text[at] = byte(g.Uint32())
		case 2:
			text[at] = "0123456789"[g.IntN(10)]
		case 3:
			text = append(text[:at:at], text[end:]...)
		case 4:
			text = append(text[:end:end], text[at:]...)
		case 5:
			text = text[:at]
		case 6:
			text = append(append(text[:at:at], pieces[g.IntN(len(pieces))]...), text[at:]...)
		case 7:
			text = append(append(text[:at:at], pieces[g.IntN(len(pieces))]...), text[end:]...)
		}
	}
	return text
}

func TestMutants(t *testing.T) {
	p := sample.Random(1, 40, 5, 3, 0.7)
	tr := pegasos.Trainer{KeepState: true, Pause: 60,
		Config: pegasos.Config{Lambda: 0.1, Epochs: 4, Bias: pegasos.BiasAugmented}}
	checkpoint, err := tr.Train(t.Context(), p.Dense, p.Y)
	if !errors.Is(err, pegasos.ErrPaused) {
		t.Fatal(err)
	}
	var kernels [2]bytes.Buffer
	for i, x := range []pegasos.Examples{p.Dense, p.Sparse} {
		m, err := kernelsvm.Train(t.Context(), x, p.Y, kernelsvm.Config{Gamma: 0.5, Lambda: 0.1})
		if err == nil {
			err = m.Write(&kernels[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	named := models(t)[1]
	sparse := *named
	sparse.Weights, sparse.Scaling = nil, nil
	for k := range named.Weights {
		w := make([]float32, 99)
		w[k], w[98] = 1, -1
		sparse.Weights = append(sparse.Weights, w)
	}
	var liblinear strings.Builder
	if err := WriteLiblinear(&liblinear, named); err != nil {
		t.Fatal(err)
	}

	use := func(m Predictor) {
		m.PredictAll(p.Dense)
		m.PredictAll(p.Sparse)
		m.Hash()
		for c := range m.Head().Classes {
			m.ClassName(c)
		}
	}
	native := func(text []byte) (Predictor, error) { return Read(bytes.NewReader(text)) }
	linear := func(read func(io.Reader) (*pegasos.Model, error)) func([]byte) (Predictor, error) {
		return func(text []byte) (Predictor, error) {
			m, err := read(bytes.NewReader(text))
			if err == nil {
				if err = m.Validate(); err != nil {
					t.Errorf("an invalid model was read: %v: %q", err, text)
				}
			}
			return predictor(m, err)
		}
	}
	for _, c := range []struct {
		name   string
		text   []byte
		sealed bool // whether the file ends with a checksum
		read   func([]byte) (Predictor, error)
	}{
		{"model", encode(t, named), true, native},
		{"sparse model", encode(t, &sparse), true, native},
		{"checkpoint", encode(t, checkpoint), true, native},
		{"dense kernel model", kernels[0].Bytes(), true, native},
		{"sparse kernel model", kernels[1].Bytes(), true, native},
		{"JSON", []byte(encodeJSON(t, named)), false, linear(ReadJSON)},
		{"liblinear", []byte(liblinear.String()), false, linear(ReadLiblinear)},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := rand.New(rand.NewPCG(uint64(*mutants), 7))
			accepted := 0
			for range *mutants {
				text := mutant(g, c.text)
				if c.sealed {
					if _, err := c.read(text); err == nil && !bytes.Equal(text, c.text) {
						t.Fatalf("a changed file was read: %q", text)
					}
					body := text[:max(0, len(text)-sha256.Size)]
					sum := sha256.Sum256(body)
					text = append(bytes.Clone(body), sum[:]...)
				}
				m, err := c.read(text)
				if err != nil {
					if s := err.Error(); len(s) > 400 || escape.Text(s) != s {
						t.Fatalf("a long or unprintable error of %d bytes: %.200q", len(s), s)
					}
					continue
				}
				accepted++
				use(m)
				resume(t, tr, m, p)
			}
			t.Logf("%d mutants, %d of them read as models", *mutants, accepted)
		})
	}
}

func TestErrorsOfWords(t *testing.T) {
	p := sample.Random(1, 40, 5, 3, 0.7)
	kernel, err := kernelsvm.Train(t.Context(), p.Dense, p.Y,
		kernelsvm.Config{Gamma: 0.5, Lambda: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	scaled := *models(t)[1]
	scaled.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleNone, Folded: true, Note: "none"}
	var machine bytes.Buffer
	if err := kernel.Write(&machine); err != nil {
		t.Fatal(err)
	}
	hostile := `"\u001b[31m\n\u202e` + strings.Repeat("x", 500) + `"`
	word := regexp.MustCompile(`"[^"]*"`)
	checked := 0
	for name, c := range map[string]struct {
		text   []byte
		sealed bool
		read   func(io.Reader) error
	}{
		"model": {encode(t, &scaled), true, func(r io.Reader) error { _, err := Read(r); return err }},
		"kernel model": {machine.Bytes(), true, func(r io.Reader) error {
			_, err := Read(r)
			return err
		}},
		"JSON": {[]byte(encodeJSON(t, &scaled)), false, func(r io.Reader) error {
			_, err := ReadJSON(r)
			return err
		}},
		"liblinear": {[]byte("solver_type \"L2R_LR\"\nnr_class \"2\"\n\"label\" 1 0\n"), false,
			func(r io.Reader) error { _, err := ReadLiblinear(r); return err }},
	} {
		head := c.text
		if c.sealed {
			head = c.text[:bytes.Index(c.text, []byte("\n\n"))]
		}
		for _, at := range word.FindAllIndex(head, -1) {
			for _, with := range []string{hostile, "\x1b[31m" + strings.Repeat("\xff", 100)} {
				text := slices.Concat(c.text[:at[0]], []byte(with), c.text[at[1]:])
				if c.sealed {
					body := text[:len(text)-sha256.Size]
					sum := sha256.Sum256(body)
					text = append(body, sum[:]...)
				}
				err := c.read(bytes.NewReader(text))
				if err == nil {
					continue
				}
				checked++
				if s := err.Error(); len(s) > 400 || escape.Text(s) != s {
					t.Errorf("%s, %s: a long or unprintable error of %d bytes: %.300q", name,
						c.text[at[0]:at[1]], len(s), s)
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d errors were checked, want 50 or more", checked)
	}
}

// Train may return an error, but no invalid model.
func resume(t *testing.T, tr pegasos.Trainer, m Predictor, p sample.Pair) {
	linear, ok := m.(*pegasos.Model)
	if !ok || linear.State == nil {
		return
	}
	tr.Resume, tr.Pause = linear, 0
	if m, err := tr.Train(t.Context(), p.Dense, p.Y); err == nil {
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
	}
}
