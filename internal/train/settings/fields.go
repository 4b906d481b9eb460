package settings

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// Use is a set of purposes for which a setting is used.
type Use uint8

const (
	Same    Use = 1 << iota // a resumed run must have the value of the interrupted run
	Problem                 // the setting affects the objective, or how a model is verified
	Chunk                   // training in chunks (pegasos.Partial) supports the setting
	Round                   // training in rounds over shards supports the setting
	Trial                   // models that are trained to choose lambda have the setting
)

// uses lists the uses of each setting.
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
	"Shards":      Same,
	"Project":     Same | Chunk,
	"Offset":      Same | Chunk,
	"Average":     Same | Chunk,
	"Finish":      Same,
	"Bias":        Same | Problem | Chunk | Round | Trial,
	"BiasScale":   Same | Problem | Chunk | Round | Trial,
	"Scale":       Same | Problem | Round,
	"TargetScale": Same | Problem,
	"Calibrate":   Same,
	"Seed":        Same | Problem | Chunk | Round | Trial,
}

// KeepOnly sets all fields that do not have the use to their zero values, in the pegasos.Config or
// Settings to which p points.
func KeepOnly(p any, use Use) {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		if uses[v.Type().Field(i).Name]&use == 0 {
			v.Field(i).SetZero()
		}
	}
}

// SetBeyond returns the names of the nonzero fields of cfg, a pegasos.Config or Settings, that do
// not have the use.
func SetBeyond(cfg any, use Use) (names []string) {
	v := reflect.ValueOf(cfg)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; uses[name]&use == 0 && !v.Field(i).IsZero() {
			names = append(names, name)
		}
	}
	return names
}

// Differences describes the fields with the use Same in which the settings of a resumed run, is,
// differ from the settings of the interrupted run, was. It returns "" if there are none.
func Differences(was, is Settings) string {
	var all []string
	was, is = was.InForce(), is.InForce()
	KeepOnly(&was, Same)
	KeepOnly(&is, Same)
	a, b := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range a.NumField() {
		if had, has := a.Field(i).Interface(), b.Field(i).Interface(); had != has {
			all = append(all, fmt.Sprintf("%s was %s, is %s", a.Type().Field(i).Name,
				cmp.Or(fmt.Sprint(had), "not set"), cmp.Or(fmt.Sprint(has), "not set")))
		}
	}
	return strings.Join(all, "; ")
}
