package flags

import (
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// Values holds the values of all flags. A field that sets a field of a Trainer has the same name,
// so that errors about the Trainer's field can name the flag.
type Values struct {
	pegasos.Config
	Kernel kernelsvm.Config // without fields that Config has, too: see KernelConfig
	Data   dataset.Options

	Missing              string
	Strict, Quiet, Force bool

	Ignore, Numbers, Dates, Categories, Text string // lists of columns
	Words, Grams                             int

	Preset    string
	CacheMB   int
	MaxMemory int // in megabytes
	Holdout   float64
	Proba     bool

	Start, Prior, Resume, Checkpoint string
	Weights, Costs, ValidWeights     string
	Valid                            []string
	KeepProof, JSON, Plot            string
	Model, For, TextData             string
	Every                            time.Duration

	Folds               int
	Lambdas, Cs, Gammas string
	Metric              string

	Scores   bool
	Keep     string
	Top      int
	From, To string
	Stream   bool
	Hash     string
	Passes   int
	Sigmoids bool
}

func (v *Values) UsesKernel() bool { return v.Kernel.Kernel != "" }

// KernelConfig returns the settings of a kernel machine.
func (v *Values) KernelConfig() kernelsvm.Config {
	cfg := v.Kernel
	cfg.Lambda, cfg.C, cfg.Epochs, cfg.Steps, cfg.Tol = v.Lambda, v.C, v.Epochs, v.Steps, v.Tol
	cfg.Order, cfg.Offset, cfg.Average, cfg.Finish = v.Order, v.Offset, v.Average, v.Finish
	cfg.Multiclass, cfg.Seed = v.Multiclass, v.Seed
	return cfg
}
