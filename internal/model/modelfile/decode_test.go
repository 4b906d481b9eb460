package modelfile

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	A int       `json:"a"`
	V []float64 `json:"v,omitempty"`
}

type outer struct {
	Name  string          `json:"name"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	All   []inner         `json:"all"`
	Rows  [][]float32     `json:"rows,omitempty"`
	Bytes []byte          `json:"bytes,omitempty"`
	Next  *outer          `json:"next,omitempty"`
	P     *float64        `json:"p,omitempty"`
	Value inner           `json:"value"`

	Words map[uint32]string `json:"words,omitempty"`
}

func TestDecoder(t *testing.T) {
	for n := range 300 {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = i - 7
		}
		text, _ := json.Marshal(numbers)
		var have []int
		if err := Unmarshal(text, &have); err != nil || !reflect.DeepEqual(have, numbers) {
			t.Fatalf("%s: %v, %v", text, have, err)
		}
	}
	for _, text := range []string{
		`{}`, ` { "name" : "x" , "all" : [ { "a" : 1 } , {} ] } `,
		`{"all":null,"raw":{"z":[1,2]},"rows":[[],[1],[1e-45,2]],"bytes":"AAE="}`,
		`{"next":{"next":{"p":1.5,"name":"\u00e9"}}}`, `{"words":{"7":"x","5":"y"}}`,
		`{"all":[{"v":[1,2]},{"a":3}]}`,
	} {
		var have, want *outer
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if err := Unmarshal([]byte(text), &have); err != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, have, err, want)
		}
	}
}

func TestDecoderErrors(t *testing.T) {
	long := strings.Repeat("1", 1000)
	for text, want := range map[string]string{
		`[]`: "want an object", `{"all":{}}`: "want an array", `{"all":[1]}`: "want an object",
		`{"name":1}`: "cannot unmarshal", `null`: "null is not allowed", `{"p":null}`: "null is not allowed",
		`{"all":[null]}`: "null is not allowed", `{"raw":null}`: "null is not allowed",
		`{"rows":[null]}`: "null is not allowed", `{"rows":[[null]]}`: "null is not allowed",
		`{"all":[{"a":1,"a":1}]}`: `"a" is there twice`, `{"all":[{"A":1}]}`: `unknown field "A"`,
		`{"value":{"a":1,"a":1}}`: `"a" is there twice`, `{"value":{"A":1}}`: `unknown field "A"`,
		`{"value":null}`: "null is not allowed", `{"words":null}`: "null is not allowed",
		`{"words":{"5":"a","5":"b"}}`:  "a key is there twice",
		`{"words":{"5":"a","05":"b"}}`: "a key is there twice",
		`{"words":{"x":"a"}}`:          "cannot unmarshal",
		`{"nam":""}`:                   `unknown field "nam"`, `{"Name":""}`: `unknown field "Name"`,
		`{"name":"","name":""}`: `"name" is there twice`,
		`{"all":[{"b":1}]}`:     `unknown field "b"`,
		`{"all":[`:              "EOF", `{`: "EOF", ``: "EOF", `{"rows":[[1,`: "EOF",
		`{"all":[{"a":` + long + `}]}`:                     "111...",
		`{"all":[` + strings.Repeat("{},", 1<<21) + `{}]}`: "more memory",
	} {
		var v *outer
		err := Unmarshal([]byte(text), &v)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}

func TestSizeOf(t *testing.T) {
	p := 1.5
	v := struct {
		text    string
		numbers []float64
		lists   [][]int32
		p, none *float64
		in      struct{ text string }
	}{text: "12345", numbers: make([]float64, 2, 3), lists: [][]int32{{1, 2}, nil}, p: &p}
	v.in.text = "1234567"
	want := int64(reflect.TypeOf(v).Size()) + 5 + 3*8 + 2*24 + 2*4 + 8 + 7
	if have := sizeOf(reflect.ValueOf(v)); have != want {
		t.Errorf("%d bytes, want %d", have, want)
	}
}

func TestDecoderEndless(t *testing.T) {
	if maxValue != 64<<20 {
		t.Errorf("maxValue is %d bytes, want %d", maxValue, 64<<20)
	}
	p := &valueReader{r: endless{}, account: &account{r: endless{}, read: 1 << 30}}
	n, err := io.Copy(io.Discard, p)
	if err == nil || !strings.Contains(err.Error(), "too long") || n <= maxValue ||
		n > maxValue+1<<16 {
		t.Errorf("%d bytes: %v", n, err)
	}
	d := NewDecoder(strings.NewReader(`"a" [1] {"a": 2}`))
	var text string
	var list []int
	var object inner
	for _, value := range []any{&text, &list, &object} {
		d.input.length = maxValue + 1
		if err := d.Into(value); err != nil {
			t.Errorf("a value after a long value: %v", err)
		}
	}
	if text != "a" || list[0] != 1 || object.A != 2 {
		t.Errorf("%q %v %v", text, list, object)
	}
}

func ExampleDecoder() {
	d := NewDecoder(strings.NewReader(`[1, 2] "three"`))
	var numbers []int
	var text string
	fmt.Println(d.Into(&numbers), numbers, d.Into(&text), text)
	// Output: <nil> [1 2] <nil> three
}
