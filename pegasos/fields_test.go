package pegasos_test

import (
	"reflect"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestSettingsFields(t *testing.T) {
	config, internal := reflect.TypeFor[pegasos.Config](), reflect.TypeFor[settings.Settings]()
	if config.NumField() != internal.NumField() {
		t.Errorf("%d fields, want %d", config.NumField(), internal.NumField())
	}
	for i := range config.NumField() {
		var cfg pegasos.Config
		f := reflect.ValueOf(&cfg).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		default:
			f.Set(reflect.ValueOf(3).Convert(f.Type()))
		}
		s := pegasos.SettingsOf(cfg)
		if back := pegasos.FromSettings(*s); back != cfg || *s == (settings.Settings{}) {
			t.Errorf("%s: %+v is converted to %+v", config.Field(i).Name, cfg, back)
		}
	}
}
