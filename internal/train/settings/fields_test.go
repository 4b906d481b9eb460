package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestUses(t *testing.T) {
	var full Settings
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.Set(reflect.ValueOf(3).Convert(f.Type()))
		}
	}
	if len(uses) != v.NumField() {
		t.Errorf("%d fields are in the table, want %d", len(uses), v.NumField())
	}
	for _, use := range []Use{Same, Problem, Chunk, Round, Trial} {
		some, beyond := full, SetBeyond(full, use)
		KeepOnly(&some, use)
		if len(beyond) == 0 || len(beyond) == v.NumField() || len(SetBeyond(some, use)) > 0 {
			t.Errorf("use %d: %v are beyond it, %v are left", use, beyond, SetBeyond(some, use))
		}
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			u, ok := uses[name]
			left := !reflect.ValueOf(some).Field(i).IsZero()
			if !ok || left != (u&use != 0) || left == slices.Contains(beyond, name) {
				t.Errorf("use %d: %s is left: %v, is beyond: %v", use, name, left,
					slices.Contains(beyond, name))
			}
		}
	}
	for i := range v.NumField() {
		name, other := v.Type().Field(i).Name, full
		reflect.ValueOf(&other).Elem().Field(i).SetZero()
		if name == "Bias" || name == "BiasScale" {
			continue // the BiasScale that InForce returns depends on Bias
		}
		told := Differences(full, other, 1)
		if strings.Contains(fmt.Sprint(told), name+" was") != (uses[name]&Same != 0) {
			t.Errorf("%s differs, and the differences are %v", name, told)
		}
	}
	if told := Differences(full, full, 1); told != nil {
		t.Errorf("the same settings differ in %q", told)
	}
	had, has := Settings{Epsilon: 0.5 / 34.1}, Settings{Epsilon: 0.7 / 34.1}
	told := fmt.Sprint(Differences(had, has, 34.1))
	if !strings.HasSuffix(told, "Epsilon was 0.5, is 0.7") {
		t.Errorf("of scaled targets: %s", told)
	}
	told = fmt.Sprint(Differences(Settings{Lambda: 0.5}, Settings{C: 3, Calibrate: 5, Seed: 2}, 1))
	if !strings.HasSuffix(told, ": Lambda was 0.5, is not set; C was not set, is 3; Calibrate was "+
		"not set, is 5 folds; Seed was 0, is 2") {
		t.Errorf("settings of 0: %s", told)
	}
	for want, is := range map[string]Settings{
		"Batch was not set, is 3":                           {Batch: 3},
		"Batch was not set, is 3; Offset was auto, is none": {Batch: 3, Offset: OffsetNone},
		"Offset was auto, is r2":                            {Offset: OffsetR2},
		"Finish was none, is dual":                          {Finish: FinishDual},
		"Order was shuffled, is iid":                        {Order: "iid"},
		"Bias was augmented, is none":                       {Bias: BiasNone},
		"BiasScale was 2, is 3":                             {Bias: BiasAugmented, BiasScale: 3},
	} {
		if is.Bias == "" {
			is.Bias, is.BiasScale = BiasAugmented, 2
		}
		err := Differences(Settings{Bias: BiasAugmented, BiasScale: 2}, is, 1)
		if want = "Resume: the run had other settings: " + want; fmt.Sprint(err) != want {
			t.Errorf("have %v, want %s", err, want)
		}
	}
	err := Differences(Settings{ClassWeight: "-1=2,1=3"}, Settings{ClassWeight: "1=3.0,-1=2",
		Finish: FinishNone}, 1)
	if err != nil {
		t.Error(err)
	}
}
