package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
)

// Unexported names that tests of package pegasos_test use.

type Task = task

var (
	CheckModel   = (*Model).check
	ClassesOf    = (*Model).classesOf
	SettingsOf   = Config.settings
	FromSettings = fromSettings
	PublicError  = publicError
	PrepareTask  = (*task).prepare
	NewSetOf     = (*task).newSet
	JobOf        = (*task).job
	ModelOf      = (*task).model
	ScaleOf      = (*Scaling).internal
)

func CheckpointOf(s *State) *checkpoint.State { return &s.state }
