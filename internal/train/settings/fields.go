package settings

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// A Use is where a setting counts.
type Use uint8

const (
	Same    Use = 1 << iota // a resumed run has to have the one of before
	Problem                 // it says what is minimised, and how that is looked at
	Chunk                   // training in chunks goes by it
	Round                   // training in rounds does
	Trial                   // the models that lambda is chosen by have it
)

// uses has those of each field.
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

// Only sets the fields of a Config or Settings, to which p points, to 0 that have no such use.
func Only(p any, use Use) {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		if uses[v.Type().Field(i).Name]&use == 0 {
			v.Field(i).SetZero()
		}
	}
}

// Beyond returns the fields of a Config or Settings that are set and have no such use.
func Beyond(cfg any, use Use) (names []string) {
	v := reflect.ValueOf(cfg)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; uses[name]&use == 0 && !v.Field(i).IsZero() {
			names = append(names, name)
		}
	}
	return names
}

// Differences lists the fields in which the settings of a resumed run differ from those of the run,
// and what they are in both.
func Differences(was, is Settings) string {
	var all []string
	was, is = was.InForce(), is.InForce()
	Only(&was, Same)
	Only(&is, Same)
	a, b := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range a.NumField() {
		if had, has := a.Field(i).Interface(), b.Field(i).Interface(); had != has {
			all = append(all, fmt.Sprintf("%s was %s, is %s", a.Type().Field(i).Name,
				cmp.Or(fmt.Sprint(had), "not set"), cmp.Or(fmt.Sprint(has), "not set")))
		}
	}
	return strings.Join(all, "; ")
}
