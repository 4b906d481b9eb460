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

	"github.com/pegasimd/pegasimd/internal/escape"
)

// maxValue bounds the length of a value in JSON that has to be in memory as a whole.
const maxValue = 1 << 26

// A Decoder decodes JSON a piece at a time: the fields of objects and the elements of arrays, so
// that a short text can't ask for much memory.
type Decoder struct {
	*json.Decoder
	account *account
	piece   *piece
	most    int // elements of the next array; 0 for any number
}

// NewDecoder returns a decoder of r, to which unknown fields are an error.
func NewDecoder(r io.Reader) *Decoder {
	a := &account{r: r}
	return newDecoder(a, a)
}

func newDecoder(r io.Reader, a *account) *Decoder {
	p := &piece{r: r, account: a}
	d := json.NewDecoder(p)
	d.DisallowUnknownFields()
	return &Decoder{Decoder: d, account: a, piece: p}
}

// Unmarshal decodes text, which is one value, as a Decoder does.
func Unmarshal(text []byte, value any) error {
	return NewDecoder(strings.NewReader(string(text))).Into(value)
}

// A piece counts what is read of a value.
type piece struct {
	r       io.Reader
	account *account
	length  int
}

func (p *piece) Read(b []byte) (int, error) {
	if p.length > maxValue {
		return 0, errors.New("a value is too long")
	}
	if err := p.account.check(int64(p.length)); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.length += n
	return n, err
}

// Into decodes the next value into what value points to, as encoding/json does, but more strictly:
// null is an error, except for an array, where it stands for an empty one; the keys of a struct
// match by exact case; and no key may occur twice in an object.
func (d *Decoder) Into(value any) error { return d.into(reflect.ValueOf(value).Elem()) }

// Field is Into for the value of a field.
func (d *Decoder) Field(f Field) error {
	d.most = f.Most
	return d.Into(f.Value)
}

func (d *Decoder) into(v reflect.Value) error {
	switch t := v.Type(); {
	case isArray(t):
		return d.array(v)
	case isObject(t):
		return d.object(v)
	case t.Kind() == reflect.Map:
		return d.dictionary(v)
	case t.Kind() == reflect.Pointer && isObject(t.Elem()):
		v.Set(reflect.New(t.Elem()))
		return d.object(v.Elem())
	}
	p := reflect.New(reflect.PointerTo(v.Type())) // a pointer to a pointer: null makes it nil
	p.Elem().Set(v.Addr())
	err := d.whole(p.Interface())
	if err == nil && p.Elem().IsNil() {
		err = errNull
	}
	return err
}

// isObject reports whether values of the type are objects in JSON, decoded by field.
func isObject(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(unmarshaler)
}

var errNull = errors.New("null is no value")

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// isArray reports whether values of the type are arrays in JSON, decoded by element.
func isArray(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

// whole decodes a value as encoding/json does.
func (d *Decoder) whole(value any) error {
	d.piece.length = 0
	return escape.Error(d.Decode(value)) // which may have the whole value
}

// open reads the first token of a value that is to begin with delim. It reports false for null.
func (d *Decoder) open(delim json.Delim, what string) (bool, error) {
	d.piece.length = 0
	t, err := d.Token()
	if err != nil || t == nil {
		return false, err
	}
	if t != delim {
		return false, fmt.Errorf("want %s", what)
	}
	return true, nil
}

// close reads the last token of an array or an object.
func (d *Decoder) close() error {
	_, err := d.Token()
	return err
}

// object decodes an object into a struct.
func (d *Decoder) object(v reflect.Value) error {
	if ok, err := d.open('{', "an object"); !ok {
		return cmp.Or(err, errNull)
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
		if err := d.into(field); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return d.close()
}

// dictionary decodes an object into a map, no two of whose keys may be equal.
func (d *Decoder) dictionary(v reflect.Value) error {
	var text json.RawMessage
	if err := d.into(reflect.ValueOf(&text).Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(text, v.Addr().Interface()); err != nil {
		return escape.Error(err)
	}
	keys := NewDecoder(bytes.NewReader(text))
	if _, err := keys.open('{', "an object"); err != nil {
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

// fieldOf returns the field of a struct, or of one embedded in it, that has that name in JSON.
func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	for _, f := range reflect.VisibleFields(v.Type()) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name && tag != "" {
			return v.FieldByIndex(f.Index), true
		}
	}
	return reflect.Value{}, false
}

// array decodes an array into a slice.
func (d *Decoder) array(v reflect.Value) error {
	v.SetZero()
	if ok, err := d.open('[', "an array"); !ok {
		return err
	}
	most := d.most
	d.most = 0
	elem := reflect.New(v.Type().Elem()).Elem()
	all := &parts{t: v.Type(), last: reflect.MakeSlice(v.Type(), 0, firstPart)}
	for d.More() {
		if most > 0 && all.n == most {
			return fmt.Errorf("more than %d elements", most)
		}
		elem.SetZero()
		err := d.into(elem)
		if err == nil && isArray(elem.Type()) && elem.IsNil() {
			err = errNull
		}
		if err == nil {
			err = d.account.take(sizeOf(elem))
		}
		if err != nil {
			return err
		}
		all.add(elem)
	}
	if err := d.close(); err != nil {
		return err
	}
	v.Set(all.slice())
	return nil
}

// sizeOf returns what a value takes in memory.
func sizeOf(v reflect.Value) int64 {
	return int64(v.Type().Size()) + behind(v)
}

// behind returns what a value points to, in bytes.
func behind(v reflect.Value) (n int64) {
	switch v.Kind() {
	case reflect.String:
		n = int64(v.Len())
	case reflect.Slice:
		n = int64(v.Cap()) * int64(v.Type().Elem().Size())
		for i := range v.Len() {
			n += behind(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			n = sizeOf(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += behind(v.Field(i))
		}
	}
	return n
}

// parts are the pieces of a slice whose length is not known. Unlike append they leave no garbage
// while they grow.
type parts struct {
	t    reflect.Type
	full []reflect.Value
	last reflect.Value
	n    int
}

const firstPart, mostPart = 4, 1 << 14 // elements

func (p *parts) add(v reflect.Value) {
	if n := p.last.Len(); n == p.last.Cap() {
		p.full = append(p.full, p.last)
		p.last = reflect.MakeSlice(p.t, 0, min(2*n, mostPart))
	}
	p.last = reflect.Append(p.last, v)
	p.n++
}

func (p *parts) slice() reflect.Value {
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
