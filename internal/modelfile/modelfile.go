// Package modelfile reads and writes what the project's model files have in common:
//
//	magic version        (the kind of model, and the version of its form)
//	key: value           (value in JSON; one line each, in a fixed order)
//	...
//	                     (an empty line)
//	numbers              (little-endian, as the kind of model has them)
//	SHA-256              (32 bytes, of all bytes before them)
//
// Lines end with a single newline. Nothing follows the checksum.
package modelfile

import (
	"errors"
	"io"
	"reflect"
	"regexp"
	"strings"

	"github.com/pegasimd/pegasimd/internal/labels"
)

// A Kind is a kind of model.
type Kind struct {
	Magic   string // what the first line begins with
	Name    string // as messages have it
	Version int    // the newest that this program knows
}

// The kinds there are.
var (
	Linear = Kind{"pegasimd model ", "model", 1}
	Kernel = Kind{"pegasimd kernel model ", "kernel model", 1}
	Proof  = Kind{"pegasimd proof ", "proof", 1}
)

// A Field is a line of the header: its key, and a pointer to the value. A value that is not
// required is left out if it is zero. If Most is not 0, the value is an array of no more elements.
type Field struct {
	Name     string
	Value    any
	Required bool
	Most     int
}

// FieldsOf returns the fields of the struct that header points to. Its tags have their names, as
// those of JSON, omitempty for one that may be missing, and most:"classes" for one that has no more
// elements than there can be classes.
func FieldsOf(header any) (fields []Field) {
	v := reflect.ValueOf(header).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, rest, _ := strings.Cut(tag.Get("json"), ",")
		f := Field{Name: name, Value: v.Field(i).Addr().Interface(), Required: rest == ""}
		if tag.Get("most") == "classes" {
			f.Most = labels.MaxClasses
		}
		fields = append(fields, f)
	}
	return fields
}

// Required returns the field of a line that every file has.
func Required(name string, value any) Field {
	return Field{Name: name, Value: value, Required: true}
}

// Optional returns the field of a line that may be missing.
func Optional(name string, value any) Field { return Field{Name: name, Value: value} }

// UpTo returns the field with a limit on its elements.
func (f Field) UpTo(most int) Field {
	f.Most = most
	return f
}

// CheckData returns an error unless text is empty or a fingerprint of data: a word for how the rows
// were held, and a SHA-256.
func CheckData(text string) error {
	if text != "" && !fingerprint.MatchString(text) {
		return errors.New("data: want dense, sparse or other, a colon, and 64 hexadecimal digits")
	}
	return nil
}

var fingerprint = regexp.MustCompile(`^(dense|sparse|other):[0-9a-f]{64}$`)

// Peek returns r with a buffer, and which of the kinds its first bytes are of. If they are of
// none, or there are none, ok is false.
func Peek(r io.Reader, kinds ...Kind) (s *Source, kind Kind, ok bool) {
	s = newSource(r)
	for _, k := range kinds {
		if k.begins(s) {
			return s, k, true
		}
	}
	return s, Kind{}, false
}

// begins reports whether a file may be of the kind: one that ends within the magic may be.
func (k Kind) begins(r *Source) bool {
	start, _ := r.Peek(len(k.Magic))
	return len(start) > 0 && strings.HasPrefix(k.Magic, string(start))
}
