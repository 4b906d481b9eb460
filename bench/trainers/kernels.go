package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"runtime"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// A machineOf is a problem of two classes for machines with the RBF kernel.
type machineOf struct {
	set           string
	rows          int // the first ones; 0 for all
	gamma, lambda float64
}

// machines are the two of the Pegasos paper that there are data for, with its gamma and lambda.
var machines = []machineOf{{"a9a", 8000, .05, 1. / 8000}, {"money-fx", 0, 1, 1.29e-4}}

// timeKernels times kernel machines beside libsvm, which is what SVC of scikit-learn runs. libsvm's
// problem has a constant that the penalty does not see, so that each is held against an optimum of
// its own: ours is asked for the gap that libsvm has reached.
func (s *session) timeKernels() error {
	if s.host.commands[scikit] == nil {
		log.Print("left out: kernels: libsvm is absent")
		return nil
	}
	table := frame.Table{Title: "RBF machines beside libsvm: seconds, 1 thread",
		Head: []string{"set", "libsvm -e", "libsvm", "its gap", "ours to that", "our gap",
			"libsvm over ours", "predict: libsvm", "ours", "accuracy: libsvm, %", "ours, %"}}
	for _, m := range machines {
		of, err := openSet(m.set)
		if errors.Is(err, errAbsent) {
			log.Printf("left out: %v", err)
			continue
		}
		if err == nil && m.rows > 0 {
			of.train, err = first(m.rows)(of.train)
		}
		if err == nil {
			err = s.host.open(of)
		}
		if err != nil {
			return err
		}
		for _, tol := range []float64{.3, .001} {
			if err := s.timeMachine(m, of, tol, &table); err != nil {
				return err
			}
		}
	}
	return table.Write(os.Stdout)
}

// timeMachine adds the line of a tolerance of libsvm's.
func (s *session) timeMachine(m machineOf, of *set, tol float64, table *frame.Table) error {
	theirs := func() (*training, error) {
		return s.host.train(scikit, fmt.Sprint("svc:", m.gamma), m.lambda, tol, 600*s.limit)
	}
	t, err := theirs()
	if err != nil {
		return err
	}
	n := of.train.Rows()
	gap := m.gap(of.train, t.values[:n], t.values[n])
	trainer := kernelsvm.Trainer{Threads: 1, Config: kernelsvm.Config{Kernel: kernelsvm.RBF,
		Gamma: m.gamma, Lambda: m.lambda, Tol: max(gap, 1e-5), Passes: 1000}}
	x, test := of.train.Examples(), of.test.Examples()
	var model *kernelsvm.Model
	race, err := frame.Runs(s.rounds, s.most, func() (float64, error) {
		t, err := theirs()
		if err != nil {
			return 0, err
		}
		return t.CPU, nil
	}, func() (float64, error) {
		runtime.GC()
		begin := cpu.ProcessSeconds()
		model, err = trainer.Train(s.ctx, x, of.train.Y)
		return cpu.ProcessSeconds() - begin, err
	})
	if err != nil {
		return err
	}
	begin := cpu.ProcessSeconds()
	ours := model.PredictAll(test)
	predicting := cpu.ProcessSeconds() - begin
	table.Add(fmt.Sprintf("%s, %d rows", m.set, n), tol, frame.Short(race.Median(0)),
		fmt.Sprintf("%.2g %%", 100*gap), frame.Short(race.Median(1)),
		fmt.Sprintf("%.2g %%", 100*model.Result.Gap), ratioOf(race, 0, 1),
		frame.Short(t.Predict), frame.Short(predicting),
		fmt.Sprintf("%.2f", accuracy(of.test.Y, t.values[n+1:])),
		fmt.Sprintf("%.2f", 100*metrics.Accuracy(of.test.Y, ours, nil)))
	return nil
}

// gap finds how far above its optimum a machine with alpha*y for each row and a constant is at
// most, (P-D)/D, from the exact kernel in float64:
//
//	P = lambda/2 |w|^2 + mean of max(0, 1 - y(<w,phi(x)> + constant)), lambda = 1/(C rows)
//	D = sum of alpha/(C rows) - lambda/2 |w|^2, 0 <= alpha <= C, sum of alpha*y = 0
func (m machineOf) gap(s *dataset.Set, alphas []float64, constant float64) float64 {
	c := 1 / (m.lambda * float64(s.Rows()))
	var square, sum, loss float64
	x, squares := make([]float64, s.Cols()), make([]float64, s.Rows())
	for i := range squares {
		for _, v := range s.Sparse.Nonzeros(i) {
			squares[i] += float64(v) * float64(v)
		}
	}
	for i, y := range s.Y {
		for j, v := range s.Sparse.Nonzeros(i) {
			x[j] = float64(v)
		}
		z := 0.
		for k, a := range alphas {
			if a != 0 {
				distance := max(0, squares[i]+squares[k]-2*score(s.Sparse, k, x))
				z += a * math.Exp(-m.gamma*distance)
			}
		}
		for j := range s.Sparse.Nonzeros(i) {
			x[j] = 0
		}
		square += alphas[i] * z
		sum += min(math.Abs(alphas[i]), c)
		loss += max(0, 1-float64(y)*(z+constant))
	}
	p := m.lambda/2*square + loss/float64(s.Rows())
	d := m.lambda*sum - m.lambda/2*square
	return (p - d) / d
}
