package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two rows far apart: K is the identity, so that with C of 1 each alpha is 1, every margin 1 and
// the gap 0. By hand: |w|^2 = 2, P = D = 1/2.
const pairModel = `svm_type c_svc
kernel_type rbf
gamma 1
nr_class 2
total_sv 2
rho 0
label 1 -1
nr_sv 1 1
SV
1 1:100 
-1 1:-100 
`

func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "x.svm"), filepath.Join(dir, "x.model")
	if err := os.WriteFile(data, []byte("1 1:100\n-1 1:-100\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(model, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		pairModel: "objective 0.5, bound 0.5, gap 0 %, 2 support rows\n",
		// Of half the alphas: |w|^2 = 1/2, P = 1/8 + 1/2, D = 1/2 - 1/8.
		strings.NewReplacer("\n1 1:", "\n0.5 1:", "-1 1:", "-0.5 1:").Replace(pairModel): "" +
			"objective 0.625, bound 0.375, gap 66.67 %, 2 support rows\n",
	} {
		write(text)
		var out bytes.Buffer
		if err := run(&out, 1, data, model); err != nil || out.String() != want {
			t.Errorf("%q, %v, want %q", out.String(), err, want)
		}
	}
	for _, text := range []string{"", "kernel_type linear\n", pairModel + "x\n",
		strings.Replace(pairModel, "gamma 1", "gamma x", 1)} {
		write(text)
		if err := run(new(bytes.Buffer), 1, data, model); err == nil {
			t.Errorf("%q is no model of RBF", text)
		}
	}
	m, err := readModel(strings.NewReader(pairModel))
	if err != nil || math.Abs(m.gamma-1) > 0 {
		t.Errorf("%+v, %v", m, err)
	}
}
