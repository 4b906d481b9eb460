package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/pegasos"
)

// serve is the program as the driver of our trainer. The method is a pegasos.Config as JSON, effort
// the passes, also fewer than one.
func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	threads := flags.Int("threads", 1, "of the trainer")
	testFile := flags.String("test", "", "test rows, to count right predictions")
	flags.Parse(args)
	train, err := load(flags.Arg(0))
	if err != nil {
		return err
	}
	var test *dataset.Set
	if *testFile != "" {
		if test, err = load(*testFile); err != nil {
			return err
		}
	}
	runtime.GOMAXPROCS(*threads)
	debug.SetGCPercent(-1)

	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	fmt.Fprintf(out, "ready Pegasimd, %s layout, %s\n", train.Layout(), runtime.Version())
	if err := out.Flush(); err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		t, err := answer(in.Text(), train, test, *threads)
		if err != nil {
			t = &training{Error: err.Error()}
		}
		line, err := json.Marshal(t)
		if err != nil {
			return err
		}
		out.Write(append(line, '\n'))
		for _, w := range t.weights {
			if err := binary.Write(out, binary.LittleEndian, w); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return in.Err()
}

// load reads a file of rows, in the layout that the library would read them in.
func load(file string) (*dataset.Set, error) {
	s, err := readRows(file)
	if err != nil {
		return nil, err
	}
	return s.WithLayout(dataset.LayoutAuto)
}

// config reads a setting. Fields that this version of the trainer doesn't have are an error.
func config(setting string) (cfg pegasos.Config, err error) {
	d := json.NewDecoder(strings.NewReader(setting))
	d.DisallowUnknownFields()
	if err := d.Decode(&cfg); err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}

func answer(request string, train, test *dataset.Set, threads int) (*training, error) {
	var setting string
	var lambda, passes float64
	var seed uint64
	if _, err := fmt.Sscanf(request, "%s %g %g %d", &setting, &lambda, &passes, &seed); err != nil {
		return nil, err
	}
	cfg, err := config(setting)
	if err != nil {
		return nil, err
	}
	cfg.Lambda, cfg.Seed = lambda, seed
	if cfg.Epochs = int(passes); float64(cfg.Epochs) != passes {
		cfg.Epochs, cfg.Steps = 0, int64(passes*float64(train.Rows()))
	}
	runtime.GC() // so that the run itself has no need for it

	// The last report comes after the last step, and after the choice that ends a finish. What
	// follows is the model's objective and its certificate: scoring.
	var cpu, wall float64
	var began time.Time
	var before float64
	tr := pegasos.Trainer{Config: cfg.Plain(), Threads: threads, Progress: func(pegasos.Progress) {
		cpu, wall = machine.ProcessSeconds()-before, time.Since(began).Seconds()
	}}
	x := train.Examples()
	before, began = machine.ProcessSeconds(), time.Now()
	m, err := tr.Train(context.Background(), x, train.Y)
	if err != nil {
		return nil, err
	}
	whole := time.Since(began).Seconds()

	t := &training{CPU: cpu, Wall: wall, Whole: whole, Steps: float64(m.Result.Steps),
		Vectors: len(m.Weights), Objective: m.Result.Objective}
	if d := m.Result.DualObjective; !math.IsNaN(d) {
		t.Dual = d
	}
	if f := m.Config.Finish; f != "" && f != pegasos.FinishNone {
		t.Steps = 0 // rows that rest count as steps, which would be no feat of speed
	}
	for _, w := range m.Weights {
		wide := make([]float64, len(w))
		for j, v := range w {
			wide[j] = float64(v)
		}
		t.weights = append(t.weights, wide)
	}
	if test != nil {
		right := 0
		for i, label := range m.PredictAll(test.Examples()) {
			if label == test.Y[i] {
				right++
			}
		}
		t.Accuracy = 100 * float64(right) / float64(test.Rows())
	}
	return t, nil
}

// compact writes a setting without blanks, as requests need it.
func compact(setting string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(setting)); err != nil {
		panic(err) // the table of settings is part of the program
	}
	return b.String()
}
