// Command libsvm finds the true gap of a model that libsvm's svm-train has made with the RBF
// kernel, so that it can be set beside that of a model of ours: the objective P and the lower bound
// D of the model as it is written, from the exact kernel of the rows in float64.
//
//	svm-train -q -g 0.05 -c 1 a9a.svm l.model
//	go run ./libsvm -c 1 a9a.svm l.model
//
// libsvm's problem has a bias that the penalty does not see:
//
//	P = lambda/2 |w|^2 + mean of max(0, 1 - y(<w,phi(x)> - rho)), lambda = 1/(C rows)
//	D = sum of alpha/(C rows) - lambda/2 |w|^2, 0 <= alpha <= C, sum of alpha*y = 0
//
// and the gap is (P-D)/D, as in all that Pegasimd tells.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/pegasimd/pegasimd/dataset"
)

func main() {
	c := flag.Float64("c", 1, "the C that the model was trained with")
	flag.Parse()
	if flag.NArg() != 2 || !(*c > 0) {
		fmt.Fprintln(os.Stderr, "usage: libsvm [-c C] DATA MODEL")
		os.Exit(2)
	}
	if err := run(os.Stdout, *c, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "libsvm:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, c float64, data, model string) error {
	set, err := dataset.Read(data, dataset.Options{})
	if err != nil {
		return err
	}
	f, err := os.Open(model)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := readModel(f)
	if err != nil {
		return fmt.Errorf("%s: %w", model, err)
	}
	rows, y, err := rowsOf(set)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	p, d := m.certificate(c, rows, y)
	_, err = fmt.Fprintf(w, "objective %.8g, bound %.8g, gap %.4g %%, %d support rows\n", p, d,
		100*(p-d)/d, len(m.support))
	return err
}

// A row is a row's nonzeros.
type row struct {
	index  []int32
	value  []float64
	square float64
}

func (r *row) add(index int32, value float64) {
	r.index, r.value = append(r.index, index), append(r.value, value)
	r.square += value * value
}

// rowsOf returns the rows of a set, the columns counted as in the file, and their labels.
func rowsOf(set *dataset.Set) (rows []row, y []float64, err error) {
	for _, v := range set.Y {
		if v != 1 && v != -1 {
			return nil, nil, fmt.Errorf("label %v, want 1 or -1", v)
		}
		y = append(y, float64(v))
	}
	rows = make([]row, len(y))
	for i := range rows {
		if set.Sparse != nil {
			index, value := set.Sparse.Row(i)
			for k, j := range index {
				rows[i].add(j+int32(set.IndexBase), float64(value[k]))
			}
			continue
		}
		for j, v := range set.Dense.Row(i) {
			if v != 0 {
				rows[i].add(int32(j+set.IndexBase), float64(v))
			}
		}
	}
	return rows, y, nil
}

// A model is one of libsvm's, of two classes with the RBF kernel.
type model struct {
	gamma, rho float64
	first      float64 // the label for which scores are above 0
	coef       []float64
	support    []row
}

// readModel reads the text of svm-train.
func readModel(r io.Reader) (*model, error) {
	m := new(model)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() && lines.Text() != "SV" {
		if err := m.readHeader(lines.Text()); err != nil {
			return nil, err
		}
	}
	for lines.Scan() {
		if err := m.readSupport(lines.Text()); err != nil {
			return nil, err
		}
	}
	if m.gamma == 0 || m.first == 0 || len(m.coef) == 0 {
		return nil, fmt.Errorf("no gamma, label or support rows")
	}
	return m, lines.Err()
}

// readHeader reads a line before the support rows.
func (m *model) readHeader(line string) error {
	key, value, _ := strings.Cut(line, " ")
	wanted := map[string]string{"kernel_type": "rbf", "svm_type": "c_svc", "nr_class": "2"}
	if want := wanted[key]; want != "" && value != want {
		return fmt.Errorf("%s %s: want c_svc, rbf and two classes", key, value)
	}
	to := map[string]*float64{"gamma": &m.gamma, "rho": &m.rho, "label": &m.first}[key]
	if to == nil {
		return nil
	}
	first, _, _ := strings.Cut(value, " ")
	var err error
	*to, err = strconv.ParseFloat(first, 64)
	return err
}

// readSupport reads a support row: its coefficient and its features.
func (m *model) readSupport(line string) error {
	var r row
	for k, field := range strings.Fields(line) {
		index, value, found := strings.Cut(field, ":")
		if !found {
			index, value = "0", field
		}
		j, err := strconv.ParseInt(index, 10, 32)
		v, err2 := strconv.ParseFloat(value, 64)
		if err != nil || err2 != nil || found != (k > 0) {
			return fmt.Errorf("not a support row: %.40q", line)
		}
		if k == 0 {
			m.coef = append(m.coef, v)
		} else {
			r.add(int32(j), float64(float32(v)))
		}
	}
	m.support = append(m.support, r)
	return nil
}

// certificate returns the objective and the bound of the model on the rows it was trained on.
func (m *model) certificate(c float64, rows []row, y []float64) (p, d float64) {
	lambda := 1 / (c * float64(len(rows)))
	scores, loss := m.scores(rows), 0.0
	for i, z := range scores {
		loss += max(0, 1-y[i]*m.first*(z-m.rho))
	}
	var square, alpha float64
	for i, z := range m.scores(m.support) {
		square += m.coef[i] * z
		alpha += min(math.Abs(m.coef[i]), c)
	}
	penalty := lambda / 2 * square
	return penalty + loss/float64(len(rows)), alpha*lambda - penalty
}

// scores returns the sums of coefficient times kernel for each of the rows.
func (m *model) scores(rows []row) []float64 {
	widest := int32(0)
	for _, r := range append(m.support, rows...) {
		for _, j := range r.index {
			widest = max(widest, j)
		}
	}
	scores := make([]float64, len(rows))
	var wait sync.WaitGroup
	threads := runtime.GOMAXPROCS(0)
	for t := range threads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			x := make([]float64, widest+1)
			for i := t; i < len(rows); i += threads {
				scores[i] = m.score(&rows[i], x)
			}
		}()
	}
	wait.Wait()
	return scores
}

// score uses x, which is all zeros, and leaves it so.
func (m *model) score(r *row, x []float64) (sum float64) {
	for k, j := range r.index {
		x[j] = r.value[k]
	}
	for s := range m.support {
		z := &m.support[s]
		dot := 0.0
		for k, j := range z.index {
			dot += z.value[k] * x[j]
		}
		sum += m.coef[s] * math.Exp(-m.gamma*max(0, r.square+z.square-2*dot))
	}
	for _, j := range r.index {
		x[j] = 0
	}
	return sum
}
