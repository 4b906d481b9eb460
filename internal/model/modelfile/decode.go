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

const maxValue = 1 << 26 // limit of a valueReader, in bytes

// Decoder decodes JSON element by element, to limit the memory that a short text can make it
// allocate. Callers may call Token and More between values.
type Decoder struct {
	*json.Decoder
	account     *account
	input       *valueReader
	maxElements int // of the next array; 0 for no limit
}

func NewDecoder(r io.Reader) *Decoder {
	a := &account{r: r}
	return newDecoder(a, a)
}

func newDecoder(r io.Reader, a *account) *Decoder {
	v := &valueReader{r: r, account: a}
	d := json.NewDecoder(v)
	d.DisallowUnknownFields()
	return &Decoder{Decoder: d, account: a, input: v}
}

// Unmarshal decodes the first value in text as [Decoder.Into] does.
func Unmarshal(text []byte, value any) error {
	return NewDecoder(strings.NewReader(string(text))).Into(value)
}

// valueReader limits the length of a value that encoding/json decodes in one call.
type valueReader struct {
	r       io.Reader
	account *account
	length  int // bytes read for the current value
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
// more strictly. In slices, in structs that do not decode their JSON themselves, and in pointers to
// such structs, at any depth:
//
//   - null is an error, except for a slice that is neither of bytes nor itself an element of a
//     slice: it becomes nil;
//   - unknown keys are an error;
//   - keys must match the fields of a struct in case;
//   - no key may occur twice in an object.
//
// The last rule also holds for a map, but not for the values in it.
func (d *Decoder) Into(value any) error { return d.decode(reflect.ValueOf(value).Elem()) }

// Field decodes the next value into *f.Value. It rejects arrays of more than f.Most elements unless
// f.Most is 0.
func (d *Decoder) Field(f Field) error {
	d.maxElements = f.Most
	return d.Into(f.Value)
}

// v must be addressable.
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

func isStruct(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(unmarshaler)
}

var errNullValue = errors.New("null is not allowed")

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func isSlice(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

func (d *Decoder) decodeWhole(value any) error {
	d.input.length = 0
	return escape.Error(d.Decode(value)) // shortens an error that quotes a long value
}

// openDelim reads the first token of a value. It returns an error unless the token is delim or
// null, and false without an error for null.
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

// decodeMap returns an error if two keys of the object decode to the same key of the map.
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

var fieldsByType sync.Map // results of fieldsOf by reflect.Type

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

// decodeSlice sets v to nil for null.
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

// indirectSize returns the bytes that v refers to, without those of maps, arrays and interfaces.
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

// sliceBuilder collects the elements of a slice in parts, to copy them only once.
type sliceBuilder struct {
	t    reflect.Type
	full []reflect.Value
	last reflect.Value
	n    int
}

// in elements
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
