package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var updatePages = flag.Bool("update", false, "write docs/help and docs/report.schema.json anew")

// page holds a file of docs against what it should be, or writes it.
func page(t *testing.T, name string, want []byte) {
	t.Helper()
	path := filepath.Join("../../docs", name)
	if *updatePages {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if os.IsNotExist(err) && !inClone() {
		t.Skip("not in a clone: NOT TESTED")
	}
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/%s is out of date: make pages (%v)", name, err)
	}
}

func inClone() bool {
	_, err := os.Stat("../../docs/architecture.md")
	return err == nil
}

// docs/help has the screens of help as they are.
func TestHelpPages(t *testing.T) {
	out, _ := must(t, "help")
	page(t, "help/help.txt", []byte(out))
	for _, cmd := range commands {
		out, _ := must(t, "help", cmd.name)
		page(t, "help/"+cmd.name+".txt", []byte(out))
		for _, line := range strings.Split(out, "\n") {
			if len(line) > 110 {
				t.Errorf("help %s: %d columns: %s", cmd.name, len(line), line)
			}
		}
	}
}

// reports are what -json writes, by the command that writes it.
var reports = map[string]any{
	"train": trainReport{}, "train-kernel": kernelReport{}, "cv": cvReport{},
	"cv-kernel": kernelCVReport{}, "eval": evalReport{}, "verify": verifyReport{},
	"inspect-data": inspectReport{}, "inspect-model": linearReport{},
	"inspect-kernel-model": kernelModelReport{}, "version": versionReport{},
}

// A schema is as much of JSON Schema as reports need.
type schema struct {
	Schema     string             `json:"$schema,omitempty"`
	Title      string             `json:"title,omitempty"`
	Type       any                `json:"type,omitempty"` // a string, or several
	Properties map[string]*schema `json:"properties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Additional *bool              `json:"additionalProperties,omitempty"`
	Items      *schema            `json:"items,omitempty"`
	Defs       map[string]*schema `json:"$defs,omitempty"`
	AnyOf      []ref              `json:"anyOf,omitempty"`
}

type ref struct {
	Ref string `json:"$ref"`
}

// schemaOf returns that of a type, as encoding/json writes it.
func schemaOf(t reflect.Type) *schema {
	switch {
	case t == reflect.TypeOf(number(0)):
		return &schema{Type: []string{"number", "null"}}
	case t == reflect.TypeOf(json.RawMessage(nil)):
		return &schema{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOf(t.Elem())
		if name, ok := s.Type.(string); ok {
			s.Type = []string{name, "null"}
		}
		return s
	case reflect.Struct:
		closed := false
		s := &schema{Type: "object", Properties: map[string]*schema{}, Additional: &closed}
		addFields(s, t)
		return s
	case reflect.Slice, reflect.Array:
		return &schema{Type: []string{"array", "null"}, Items: schemaOf(t.Elem())}
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	}
	return &schema{Type: "integer"}
}

// addFields adds those of a struct, with those of embedded ones.
func addFields(s *schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			addFields(s, f.Type)
		case !f.IsExported() || tag == "-":
		default:
			if tag == "" {
				tag = f.Name
			}
			s.Properties[tag] = schemaOf(f.Type)
			if !strings.Contains(options, "omitempty") {
				s.Required = append(s.Required, tag)
			}
		}
	}
}

// docs/report.schema.json says what every -json writes.
func TestReportSchema(t *testing.T) {
	all := schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "What pegasimd's commands write with -json", Defs: map[string]*schema{},
	}
	for _, name := range slices.Sorted(maps.Keys(reports)) {
		all.Defs[name] = schemaOf(reflect.TypeOf(reports[name]))
		all.AnyOf = append(all.AnyOf, ref{"#/$defs/" + name})
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	page(t, "report.schema.json", append(text, '\n'))
}

// What the commands write is what the schema says.
func TestReportsFitSchema(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "data.csv", "1,2,a\n2,1,b\n-1,-2,a\n-2,0,b\n3,1,c\n4,1,c\n5,2,c\n1,1,a\n")
	model, kernel := filepath.Join(dir, "model"), filepath.Join(dir, "kernel")
	numbers := filepath.Join(dir, "json")
	for _, c := range []struct {
		of   string
		args []string
	}{
		{"train", []string{"train", data, model}},
		{"train", []string{"train", "-valid", data, "-tol", "0.5", "-proba", data, model}},
		{"train", []string{"train", "-loss", "eps-insensitive", file(t, "n.csv", "1,2\n2,3\n"),
			filepath.Join(dir, "n")}},
		{"train-kernel", []string{"train", "-kernel", "rbf", data, kernel}},
		{"cv", []string{"cv", "-folds", "2", data}},
		{"cv-kernel", []string{"cv", "-folds", "2", "-kernel", "rbf", data}},
		{"eval", []string{"eval", data, model}},
		{"eval", []string{"eval", data, kernel}},
		{"verify", []string{"verify", model, data}},
		{"inspect-data", []string{"inspect", data}},
		{"inspect-model", []string{"inspect", model}},
		{"inspect-kernel-model", []string{"inspect", kernel}},
		{"version", []string{"version"}},
	} {
		must(t, append(c.args, "-json", numbers)...)
		text, err := os.ReadFile(numbers)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		schemaOf(reflect.TypeOf(reports[c.of])).check(t, strings.Join(c.args[:1], " "), value)
	}
}

// check holds a value against the schema.
func (s *schema) check(t *testing.T, at string, value any) {
	t.Helper()
	var have string
	switch v := value.(type) {
	case nil:
		have = "null"
	case bool:
		have = "boolean"
	case string:
		have = "string"
	case float64:
		if have = "number"; s.allows("integer") && v == float64(int64(v)) {
			have = "integer"
		}
	case []any:
		have = "array"
		for _, e := range v {
			if s.Items != nil {
				s.Items.check(t, at+"[]", e)
			}
		}
	case map[string]any:
		have = "object"
		for name, e := range v {
			if of := s.Properties[name]; of != nil {
				of.check(t, at+"."+name, e)
			} else if s.Additional != nil {
				t.Errorf("%s.%s is not in the schema", at, name)
			}
		}
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				t.Errorf("%s.%s is missing", at, name)
			}
		}
	}
	if s.Type != nil && !s.allows(have) {
		t.Errorf("%s is a %s, want %v", at, have, s.Type)
	}
}

// allows reports whether a value may be of a type.
func (s *schema) allows(name string) bool {
	switch of := s.Type.(type) {
	case string:
		return of == name
	case []string:
		return slices.Contains(of, name)
	}
	return false
}
