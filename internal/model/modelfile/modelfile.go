// Package modelfile reads and writes the file format that models, proofs and other files share:
//
//	magic version        (kind of the file, and version of the kind's format)
//	key: value           (header fields in a fixed order, values in JSON)
//	...
//	                     (an empty line)
//	numbers              (little-endian; their types and counts depend on the kind)
//	SHA-256              (32 bytes, of all bytes before them)
//
// To resist hostile files, a [Reader] limits the memory of a file's contents by the bytes read (see
// package budget), and a [Decoder] rejects JSON that encoding/json tolerates.
package modelfile

import (
	"errors"
	"io"
	"regexp"
	"strings"
)

// Kind is a kind of file.
type Kind struct {
	Magic   string // with the space before the version
	Name    string // in error messages
	Version int    // version written, and newest version read
}

// The kinds of the trainers' files.
var (
	Linear = Kind{"pegasimd model ", "model", 1}
	Kernel = Kind{"pegasimd kernel model ", "kernel model", 1}
	Proof  = Kind{"pegasimd proof ", "proof", 1}
)

// Field is a line of the header.
type Field struct {
	Name     string
	Value    any  // pointer to the value
	Required bool // if false, a zero value's line is omitted
	Most     int  // largest number of elements of a value that is an array; 0 for no limit
}

func Required(name string, value any) Field {
	return Field{Name: name, Value: value, Required: true}
}

func Optional(name string, value any) Field { return Field{Name: name, Value: value} }

func (f Field) UpTo(limit int) Field {
	f.Most = limit
	return f
}

// CheckData returns an error unless text is empty or a fingerprint of training data.
func CheckData(text string) error {
	if text != "" && !fingerprint.MatchString(text) {
		return errors.New(`data: want "dense:", "sparse:" or "other:" and 64 lower-case ` +
			"hexadecimal digits, or nothing")
	}
	return nil
}

var fingerprint = regexp.MustCompile(`^(dense|sparse|other):[0-9a-f]{64}$`)

// Peek returns a buffered reader that still returns all bytes of r, and the first of the given
// kinds whose magic is at the start of r. A file cut short within its magic matches, unless empty.
func Peek(r io.Reader, kinds ...Kind) (s *Source, kind Kind, ok bool) {
	s = newSource(r)
	for _, k := range kinds {
		if k.matches(s) {
			return s, k, true
		}
	}
	return s, Kind{}, false
}

func (k Kind) what() string {
	if k == Linear {
		return "linear model"
	}
	return k.Name
}

func (k Kind) matches(r *Source) bool {
	start, _ := r.Peek(len(k.Magic))
	return len(start) > 0 && strings.HasPrefix(k.Magic, string(start))
}
