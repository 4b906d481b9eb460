package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/engine"
)

// Unexported names that tests of package pegasos_test use.

type Task = task

var (
	CheckModel   = (*Model).check
	BiasOf       = (*Model).bias
	LambdaOf     = (*Model).lambda
	ClassesOf    = (*Model).classesOf
	ScalesRows   = (*Model).scalesRows
	SettingsOf   = Config.settings
	FromSettings = fromSettings
	PublicError  = publicError
	NewRowError  = newRowError
	PrepareTask  = (*task).prepare
	NewSetOf     = (*task).newSet
	JobOf        = (*task).job
	ModelOf      = (*task).model
	ScaleOf      = (*Scaling).internal
	ResultOf     = Result.internal
)

func CheckpointOf(s *State) *checkpoint.State { return &s.state }
func SessionOf(p Progress) *engine.Session    { return p.session }
