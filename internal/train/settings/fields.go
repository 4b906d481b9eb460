package settings

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

type Use uint8

const (
	Same    Use = 1 << iota // a resumed run must have the same value as the interrupted run
	Problem                 // the setting affects the objective, or how a model is verified
	Chunk                   // training in chunks (pegasos.Partial) supports the setting
	Round                   // training in rounds over shards supports the setting
	Trial                   // the cross-validation that chooses lambda keeps the setting
)

var uses = map[string]Use{
	"Loss":        Same | Problem | Chunk | Round | Trial,
	"Epsilon":     Same | Problem | Chunk | Trial,
	"Multiclass":  Same | Problem | Chunk | Round | Trial,
	"ClassWeight": Same | Problem | Chunk | Round | Trial,
	"Lambda":      Same | Problem | Chunk | Round,
	"C":           Same | Problem | Round,
	"Epochs":      Round,
	"Steps":       0,
	"Tol":         Same | Round,
	"Patience":    Same,
	"Order":       Same | Problem | Chunk,
	"Block":       Same | Problem | Chunk,
	"Batch":       Same | Problem | Chunk,
	"Project":     Same | Chunk,
	"Offset":      Same | Chunk,
	"Average":     Same | Chunk,
	"Finish":      Same,
	"Bias":        Same | Problem | Chunk | Round | Trial,
	"BiasScale":   Same | Problem | Chunk | Round | Trial,
	"Scale":       Same | Problem | Round,
	"TargetScale": Same | Problem,
	"Curves":      Same | Problem,
	"Calibrate":   Same,
	"Seed":        Same | Problem | Chunk | Round | Trial,
}

// KeepOnly zeroes the fields without the given use in *p, a pegasos.Config or Settings.
func KeepOnly(p any, use Use) {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		if uses[v.Type().Field(i).Name]&use == 0 {
			v.Field(i).SetZero()
		}
	}
}

// SetBeyond returns the names of the nonzero fields without the given use in cfg, a pegasos.Config
// or Settings.
func SetBeyond(cfg any, use Use) (names []string) {
	v := reflect.ValueOf(cfg)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; uses[name]&use == 0 && !v.Field(i).IsZero() {
			names = append(names, name)
		}
	}
	return names
}

// equivalent names fields whose differing values have no effect: lists of the same class weights,
// and defaults that follow from another field.
func equivalent(a, b *Settings) map[string]bool {
	weights, _ := a.ClassWeights()
	others, _ := b.ClassWeights()
	return map[string]bool{
		"ClassWeight": weights != nil && maps.Equal(weights, others),
		"Offset":      a.adapts() != b.adapts() && a.Offset != OffsetNone && b.Offset != OffsetNone,
		"Block":       a.Order != b.Order && a.Block*b.Block == 0,
		"BiasScale":   a.Bias != b.Bias && a.BiasScale*b.BiasScale == 0,
	}
}

// Differences returns an error that lists the settings with the use Same that differ, or nil. It
// leaves out those that equivalent names. unit is the number by which the targets, and so Epsilon,
// were divided.
func Differences(interrupted, resumed Settings, unit float64) error {
	var formats []string
	var args []any
	was, is := interrupted.InForce(), resumed.InForce()
	KeepOnly(&was, Same)
	KeepOnly(&is, Same)
	options.Fill(&was.Finish, FinishNone)
	options.Fill(&is.Finish, FinishNone)
	equal := equivalent(&was, &is)
	a, b := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range a.NumField() {
		if had, has := a.Field(i).Interface(), b.Field(i).Interface(); had != has {
			name := a.Type().Field(i).Name
			if equal[name] {
				continue
			}
			switch name {
			case "Epsilon":
				had = fmt.Sprintf("%.6g", float64(was.Epsilon*unit))
				has = fmt.Sprintf("%.6g", float64(is.Epsilon*unit))
			case "Calibrate":
				had = plural.Count(was.Calibrate, "fold")
				has = plural.Count(is.Calibrate, "fold")
			}
			word := func(of reflect.Value, value any) string {
				if of.IsZero() && name != "Epsilon" && name != "Seed" && name != "Project" {
					return "not set"
				}
				return fmt.Sprint(value)
			}
			formats = append(formats, "%s was %s, is %s")
			args = append(args, options.Name(name), word(a.Field(i), had), word(b.Field(i), has))
		}
	}
	if formats == nil {
		return nil
	}
	return options.Bad("Resume", "the run had other settings: "+strings.Join(formats, "; "), args...)
}
