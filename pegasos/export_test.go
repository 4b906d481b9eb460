package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/scale"
)

// Unexported names for the tests of package pegasos_test.

type Task = task

var (
	CheckModel   = (*Model).check
	BiasOf       = (*Model).bias
	LambdaOf     = (*Model).lambda
	StepsOf      = (*Model).stepsOf
	ClassesOf    = (*Model).sides
	ScalesRows   = (*Model).scalesRows
	SettingsOf   = Config.settings
	FromSettings = fromSettings
	FromScale    = fromScale
	PublicError  = publicError
	NewRowError  = rowError
	PrepareTask  = (*task).prepare
	NewSetOf     = (*task).newSet
	JobOf        = (*task).job
	ModelOf      = (*task).model
	ScaleOf      = (*Scaling).room
	ResultOf     = Result.room
)

func TaskScale(t *task) *scale.Scale          { return t.scale }
func ScalingEpsilon(s *Scaling) float64       { return s.epsilon }
func CheckpointOf(s *State) *checkpoint.State { return &s.state }
func SessionOf(p Progress) *engine.Session    { return p.session }
