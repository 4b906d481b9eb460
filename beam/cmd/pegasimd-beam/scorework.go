package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/pegasimd/pegasimd/beam/engine"
	"github.com/pegasimd/pegasimd/internal/predictions"
	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/modelio"
)

// scoreWork is the work on a file that is scored.
const scoreWork = "score"

// scoreDeadline is how long all files may take: how long they should is not known.
const scoreDeadline = 24 * time.Hour

func init() { engine.Register(scoreWork, scoreFile) }

// scoreFile scores one file of a job.
func scoreFile(ctx context.Context, spec string, _, item int) (engine.Part, error) {
	s, err := openScoring(spec)
	if err != nil {
		return engine.Part{}, err
	}
	if item < 0 || item >= len(s.job.Data) {
		return engine.Part{}, engine.Refuse(fmt.Errorf("%s: there is no file %d", spec, item))
	}
	opt := s.job.Options.options()
	opt.Context = ctx
	var part engine.Part
	var failed error
	err = replace.WriteFile(s.job.Out[item], func(w io.Writer) error {
		rows, size, err := predictions.Write(w, s.job.Data[item], s.model, opt)
		part.Rows, part.Bytes, failed = int64(rows), size, err
		return err
	})
	if failed != nil && ctx.Err() == nil { // the data are what they are
		err = engine.Refuse(failed)
	}
	return part, err
}

// A scoring is a job, and its model.
type scoring struct {
	job   scoreJob
	model modelio.Predictor
}

// The job that this process worked on last stays open. Its file is another one if it has another
// time.
var lastScoring struct {
	sync.Mutex
	spec string
	time time.Time
	*scoring
}

func openScoring(spec string) (*scoring, error) {
	lastScoring.Lock()
	defer lastScoring.Unlock()
	info, err := os.Stat(spec)
	if err != nil {
		return nil, err
	}
	if lastScoring.spec == spec && lastScoring.time.Equal(info.ModTime()) {
		return lastScoring.scoring, nil
	}
	text, err := os.ReadFile(spec)
	if err != nil {
		return nil, err
	}
	s := new(scoring)
	if err := json.Unmarshal(text, &s.job); err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	if s.model, err = modelio.ReadFile(s.job.Model); err != nil {
		return nil, err
	}
	lastScoring.spec, lastScoring.time, lastScoring.scoring = spec, info.ModTime(), s
	return s, nil
}
