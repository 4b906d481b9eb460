package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
)

// A driver is a process that has loaded a set's training rows and trains on them when asked: a
// peer's, or one of ours. All are treated alike. peers/driver.h has the protocol.
type driver struct {
	version string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	cols    int
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
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], file)...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &driver{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<16), cols: cols}
	line, err := d.out.ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "ready ") {
		err = fmt.Errorf("it says %q", line)
	}
	if err != nil {
		d.stop()
		return nil, fmt.Errorf("%s: %w", command[0], err)
	}
	d.version = strings.TrimSpace(strings.TrimPrefix(line, "ready "))
	return d, nil
}

func (d *driver) stop() {
	d.in.Close()
	d.cmd.Wait() // what it exits with changes no number
}

func (d *driver) train(method string, lambda, effort float64, seed int) (*training, error) {
	if _, err := fmt.Fprintf(d.in, "%s %g %g %d\n", method, lambda, effort, seed); err != nil {
		return nil, err
	}
	line, err := d.out.ReadBytes('\n')
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
		if _, err := io.ReadFull(d.out, buf); err != nil {
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
