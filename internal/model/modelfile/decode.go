package modelfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// maxValue limits the length, in bytes, of a JSON value that is read into memory as a whole.
const maxValue = 1 << 26

// Decoder decodes JSON field by field and element by element, so that a short text can't ask for
// much memory. It embeds a json.Decoder; callers may call its methods Token and More between
// values.
type Decoder struct {
	*json.Decoder
	account     *account // limits the memory of decoded values
	input       *valueReader
	maxElements int // largest number of elements of the next array; 0 for no limit
}

// NewDecoder returns a Decoder that reads from r. It reports unknown fields as errors.
func NewDecoder(r io.Reader) *Decoder {
	a := &account{r: r}
	return newDecoder(a, a)
}

// The account a limits the memory of the values that the Decoder decodes.
func newDecoder(r io.Reader, a *account) *Decoder {
	v := &valueReader{r: r, account: a}
	d := json.NewDecoder(v)
	d.DisallowUnknownFields()
	return &Decoder{Decoder: d, account: a, input: v}
}

// Unmarshal decodes the first value in text by the rules of [Decoder.Into].
func Unmarshal(text []byte, value any) error {
	return NewDecoder(strings.NewReader(string(text))).Into(value)
}

// valueReader reads the input of a Decoder and limits the length of a value that encoding/json
// decodes in one call.
type valueReader struct {
	r       io.Reader
	account *account
	length  int // number of bytes read since the current value began
}

func (v *valueReader) Read(b []byte) (int, error) {
	if v.length > maxValue {
		return 0, fmt.Errorf("a value is too long: want at most %d bytes of JSON", maxValue)
	}
	if err := v.account.check(int64(v.length)); err != nil {
		return 0, err
	}
	n, err := v.r.Read(b)
	v.length += n
	return n, err
}

// Into decodes the next value into the variable that value points to, as encoding/json does, but
// more strictly:
//
//   - null means an empty array if the value is an array that is not itself an element of an array;
//     everywhere else null is an error;
//   - unknown keys are an error;
//   - keys must match the fields of a struct in case;
//   - no key may occur twice in an object.
//
// The rules do not reach into the values of a map, Go arrays, and types that decode their JSON
// themselves.
func (d *Decoder) Into(value any) error { return d.decode(reflect.ValueOf(value).Elem()) }

// Field decodes the next value into the variable that f.Value points to. If the value is an array
// and f.Most is not 0, the array may have at most f.Most elements.
func (d *Decoder) Field(f Field) error {
	d.maxElements = f.Most
	return d.Into(f.Value)
}

// decode decodes the next value into v, which must be addressable.
func (d *Decoder) decode(v reflect.Value) error {
	switch t := v.Type(); {
	case isSlice(t):
		return d.decodeSlice(v)
	case isStruct(t):
		return d.decodeStruct(v)
	case t.Kind() == reflect.Map:
		return d.decodeMap(v)
	case t.Kind() == reflect.Pointer && isStruct(t.Elem()):
		v.Set(reflect.New(t.Elem()))
		return d.decodeStruct(v.Elem())
	}
	p := reflect.New(reflect.PointerTo(v.Type())) // a pointer to a pointer: null makes it nil
	p.Elem().Set(v.Addr())
	err := d.decodeWhole(p.Interface())
	if err == nil && p.Elem().IsNil() {
		err = errNullValue
	}
	return err
}

// isStruct reports whether values of type t are decoded field by field.
func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(unmarshaler)
}

// errNullValue is the error for a null that does not mean an empty array.
var errNullValue = errors.New("null is not allowed")

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// isSlice reports whether values of type t are decoded element by element.
func isSlice(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

func (d *Decoder) decodeWhole(value any) error {
	d.input.length = 0
	return escape.Error(d.Decode(value)) // shortens an error that quotes a long value
}

// openDelim reads the first token of a value, which must be delim. It returns false, but no error,
// for null. The argument wanted, "an array" or "an object", names the expected value in the error
// for any other token.
func (d *Decoder) openDelim(delim json.Delim, wanted string) (bool, error) {
	d.input.length = 0
	t, err := d.Token()
	if err != nil || t == nil {
		return false, err
	}
	if t != delim {
		return false, fmt.Errorf("want %s", wanted)
	}
	return true, nil
}

func (d *Decoder) closeDelim() error {
	_, err := d.Token()
	return err
}

func (d *Decoder) decodeStruct(v reflect.Value) error {
	if ok, err := d.openDelim('{', "an object"); !ok {
		return cmp.Or(err, errNullValue)
	}
	seen := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		field, ok := fieldOf(v, name.(string))
		if !ok {
			return fmt.Errorf("unknown field %.40q", name)
		}
		if seen[name.(string)] {
			return fmt.Errorf("field %.40q is there twice", name)
		}
		seen[name.(string)] = true
		if err := d.decode(field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return d.closeDelim()
}

// Two keys of the object that decode to the same key of the map are an error.
func (d *Decoder) decodeMap(v reflect.Value) error {
	var text json.RawMessage
	if err := d.decode(reflect.ValueOf(&text).Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(text, v.Addr().Interface()); err != nil {
		return escape.Error(err)
	}
	keys := NewDecoder(bytes.NewReader(text))
	if _, err := keys.openDelim('{', "an object"); err != nil {
		return err
	}
	n := 0
	for ; keys.More(); n++ {
		if _, err := keys.Token(); err != nil {
			return err
		}
		var value json.RawMessage
		if err := keys.Decode(&value); err != nil {
			return err
		}
	}
	if n != v.Len() {
		return errors.New("a key is there twice")
	}
	return nil
}

// fieldOf returns the field, of the struct v or of a struct embedded in v, whose json tag has the
// given name.
func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	fields, ok := fieldsByType.Load(v.Type())
	if !ok {
		fields, _ = fieldsByType.LoadOrStore(v.Type(), fieldsOf(v.Type()))
	}
	index, ok := fields.(map[string][]int)[name]
	if !ok {
		return reflect.Value{}, false
	}
	return v.FieldByIndex(index), true
}

// fieldsByType caches the results of fieldsOf by reflect.Type: the file of a table's encoder has a
// struct for each column.
var fieldsByType sync.Map

func fieldsOf(t reflect.Type) map[string][]int {
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, known := fields[tag]; !known && tag != "" && tag != "-" {
			fields[tag] = f.Index
		}
	}
	return fields
}

// decodeSlice decodes an array into the slice v. null leaves v nil.
func (d *Decoder) decodeSlice(v reflect.Value) error {
	v.SetZero()
	if ok, err := d.openDelim('[', "an array"); !ok {
		return err
	}
	most := d.maxElements
	d.maxElements = 0
	elem := reflect.New(v.Type().Elem()).Elem()
	all := &sliceBuilder{t: v.Type(), last: reflect.MakeSlice(v.Type(), 0, firstPartLen)}
	for d.More() {
		if most > 0 && all.n == most {
			return fmt.Errorf("more than %d elements", most)
		}
		elem.SetZero()
		err := d.decode(elem)
		if err == nil && isSlice(elem.Type()) && elem.IsNil() {
			err = errNullValue
		}
		if err == nil {
			err = d.account.take(sizeOf(elem))
		}
		if err != nil {
			return err
		}
		all.add(elem)
	}
	if err := d.closeDelim(); err != nil {
		return err
	}
	v.Set(all.slice())
	return nil
}

func sizeOf(v reflect.Value) int64 {
	return int64(v.Type().Size()) + indirectSize(v)
}

// indirectSize returns the memory, in bytes, that strings, slices and pointers of a value refer to.
// It does not count maps.
func indirectSize(v reflect.Value) (n int64) {
	switch v.Kind() {
	case reflect.String:
		n = int64(v.Len())
	case reflect.Slice:
		n = int64(v.Cap()) * int64(v.Type().Elem().Size())
		for i := range v.Len() {
			n += indirectSize(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			n = sizeOf(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += indirectSize(v.Field(i))
		}
	}
	return n
}

// sliceBuilder collects the elements of a slice whose length is not known in advance. It keeps them
// in several slices of growing capacity, its parts. Unlike append, it leaves no garbage while the
// slice grows.
type sliceBuilder struct {
	t    reflect.Type
	full []reflect.Value // parts that are full
	last reflect.Value
	n    int // number of elements in all parts
}

// firstPartLen and maxPartLen are the capacities of a sliceBuilder's first part and of its largest
// parts, in elements.
const firstPartLen, maxPartLen = 4, 1 << 14

func (p *sliceBuilder) add(v reflect.Value) {
	if n := p.last.Len(); n == p.last.Cap() {
		p.full = append(p.full, p.last)
		p.last = reflect.MakeSlice(p.t, 0, min(2*n, maxPartLen))
	}
	p.last = reflect.Append(p.last, v)
	p.n++
}

func (p *sliceBuilder) slice() reflect.Value {
	if len(p.full) == 0 && p.n == p.last.Cap() {
		return p.last
	}
	all := reflect.MakeSlice(p.t, p.n, p.n)
	at := 0
	for _, part := range append(p.full, p.last) {
		at += reflect.Copy(all.Slice(at, p.n), part)
	}
	return all
}
