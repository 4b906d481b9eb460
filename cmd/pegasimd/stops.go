package main

import (
	"fmt"
	"io"

	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// This file says whether a run has ended as its stopping rules want it.

// stopReport is what train -json has of the stopping rules.
type stopReport struct {
	TolReached *bool           `json:"tol_reached,omitempty"` // with -tol, of a whole run
	Validation *validationFigs `json:"validation,omitempty"`  // with -valid
}

// validationFigs are about the data of -valid and the model, with -patience the best on them.
type validationFigs struct {
	Metric string  `json:"metric"` // accuracy or rmse
	Value  number  `json:"value"`
	Rows   int     `json:"rows"`
	Epochs float64 `json:"epochs"` // after which it is of this value

	// after which -patience ended the run; 0 if it did not, or the run was made several times
	Stopped int `json:"stopped_after_epochs"`
}

// tolReached returns whether a gap is as small as is wanted, nil if none is.
func tolReached(tol, gap float64, interrupted bool) *bool {
	if tol == 0 || interrupted {
		return nil
	}
	reached := gap <= tol
	return &reached
}

// newStopReport measures the model on the data of -valid.
func newStopReport(r *linearRun) (s stopReport) {
	m := r.result
	s.TolReached = tolReached(r.cfg.Tol, m.Result.Gap, r.interrupted != nil)
	if valid := r.trainer.Valid; valid != nil {
		s.Validation = &validationFigs{
			Metric: metricName(m), Value: number(fit(m, valid, r.reader.opt.Threads)),
			Rows: valid.X.Rows(), Epochs: m.Result.Epochs,
		}
		if r.ended && m.Config.Patience > 0 && m.Config.Calibrate == 0 {
			s.Validation.Stopped = r.epochs
		}
	}
	return s
}

// print says to people what they have to know.
func (s *stopReport) print(w io.Writer, cfg pegasos.Config, advice string) {
	if s.TolReached != nil && !*s.TolReached {
		fmt.Fprintf(w, "-tol %v was not reached: %s would come closer\n", cfg.Tol, advice)
	}
	if v := s.Validation; v != nil {
		value := fmt.Sprintf("accuracy %.4f %%", 100*v.Value)
		if v.Metric == "rmse" {
			value = "RMSE " + v.Value.String()
		}
		fmt.Fprintf(w, "validation %s on %s", value, count(v.Rows, "row"))
		if cfg.Patience > 0 {
			fmt.Fprintf(w, ", the best, after %.4g epochs", v.Epochs)
		}
		if v.Stopped > 0 {
			fmt.Fprintf(w, "; -patience %d ended the run after %d", cfg.Patience, v.Stopped)
		}
		fmt.Fprintln(w)
	}
}

// printKernelStop does so for a kernel machine.
func printKernelStop(w io.Writer, cfg kernelsvm.Config, reached *bool) {
	switch {
	case reached == nil || *reached:
	case cfg.MaxSV > 0:
		fmt.Fprintf(w, "-tol %v was not reached: -max-sv %d leaves out rows that it takes\n",
			cfg.Tol, cfg.MaxSV)
	default:
		fmt.Fprintf(w, "-tol %v was not reached: give the run more with -passes, %d now\n", cfg.Tol,
			cfg.Passes)
	}
}
