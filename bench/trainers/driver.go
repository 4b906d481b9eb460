package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	process "github.com/pegasimd/pegasimd/bench/internal/driver"
)

// A driver is a process that has loaded a set's training rows and trains on them when asked: a
// peer's, or one of ours. All are treated alike. peers/driver.h has the protocol.
type driver struct {
	*process.Process
	cols int
}

// A training is what a driver answers.
type training struct {
	CPU     float64 `json:"cpu"` // seconds of the thread that trains; of ours, of the process
	Wall    float64 `json:"wall"`
	Steps   float64 `json:"steps"`   // 0 if not known
	Vectors int     `json:"vectors"` // of weights

	// Ours only.
	Whole     float64 `json:"whole,omitempty"`     // wall seconds with what is measured at the end
	Objective float64 `json:"objective,omitempty"` // as the library says
	Dual      float64 `json:"dual,omitempty"`      // its bound; 0 if it has none
	Accuracy  float64 `json:"accuracy,omitempty"`  // on the test rows, by the library's predictions
	Error     string  `json:"error,omitempty"`     // a setting that can't be used

	weights [][]float64
}

// start runs a driver on the rows of a file.
func start(ctx context.Context, command []string, file string, cols int) (*driver, error) {
	p, err := process.Start(ctx, append(slices.Clip(command), file)...)
	if err != nil {
		return nil, err
	}
	return &driver{p, cols}, nil
}

func (d *driver) train(method string, lambda, effort float64, seed int) (*training, error) {
	if _, err := fmt.Fprintf(d.In, "%s %g %g %d\n", method, lambda, effort, seed); err != nil {
		return nil, err
	}
	line, err := d.Out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("it has ended: %w", err)
	}
	t := new(training)
	if err := json.Unmarshal(line, t); err != nil {
		return nil, err
	}
	if t.Error != "" {
		return nil, errors.New(t.Error)
	}
	buf := make([]byte, 8*d.cols)
	for range t.Vectors {
		if _, err := io.ReadFull(d.Out, buf); err != nil {
			return nil, err
		}
		w := make([]float64, d.cols)
		for j := range w {
			w[j] = math.Float64frombits(binary.LittleEndian.Uint64(buf[8*j:]))
			if w[j]-w[j] != 0 {
				err = fmt.Errorf("weight %d is %v", j, w[j])
			}
		}
		t.weights = append(t.weights, w)
	}
	return t, err
}
