package pegasos_test

import (
	"reflect"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Config and settings.Settings have the same fields, and each survives the conversion both ways.
func TestSettingsFields(t *testing.T) {
	config, room := reflect.TypeFor[pegasos.Config](), reflect.TypeFor[settings.Settings]()
	if config.NumField() != room.NumField() {
		t.Errorf("%d fields, want %d", config.NumField(), room.NumField())
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
			t.Errorf("%s: %+v came back as %+v", config.Field(i).Name, cfg, back)
		}
	}
}
