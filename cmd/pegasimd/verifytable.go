package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

type tableCheck struct {
	compared bool // with the data, or with the model of -start or -prior

	// Parts that may be unchecked although the table was compared:
	named  bool // names of the columns and of the label
	placed bool // number of the label's column
	words  bool // n-grams that name buckets of text

	differs string // how the encoders differ, or empty
	why     string // why the encoder was not compared
}

// checkTable accepts the encoder fitted to the data, or the encoder of from. from is the model of
// -start or -prior, or nil.
func (d *dataReader) checkTable(head pegasos.Head, set *dataset.Set,
	from *pegasos.Model) (*tableCheck, error) {
	if d.encoder == nil {
		return d.checkColumns(set), nil
	}
	if from != nil {
		if same, words := sameEncoder(head.Table, from.Table); same {
			return &tableCheck{compared: true, named: true, placed: true, words: words}, nil
		}
	}
	if info, err := os.Stat(d.name); d.kept == nil && (err != nil || !info.Mode().IsRegular()) {
		return &tableCheck{why: d.name + " can't be read again"}, nil
	}
	fitted, err := d.refitted()
	if d.call.Err() != nil {
		return nil, d.call.Err()
	}
	if err != nil {
		return &tableCheck{why: err.Error()}, nil
	}
	return compareEncoders(head.Table, fitted)
}

// For lines of JSON, set.Others also lists columns that the model's encoder leaves out; unknown
// omits these.
func (d *dataReader) unknown(set *dataset.Set) []string {
	return slices.DeleteFunc(slices.Clone(set.Others), func(name string) bool {
		return d.encoder != nil && slices.ContainsFunc(d.encoder.Columns, func(c tables.Column) bool {
			return c.Kind == tables.LeftOut && c.Name == name
		})
	})
}

func (d *dataReader) checkColumns(set *dataset.Set) *tableCheck {
	model := d.opt.Table
	if model == nil {
		return &tableCheck{}
	}
	t := usable(set)
	if t == nil {
		t = &dataset.Table{LabelAt: -1}
	}
	same := slices.Equal(t.Columns, model.Columns) && t.Label == model.Label
	// With names, the label's column is found by its name, not by its number.
	return &tableCheck{compared: same, named: same,
		placed: same && model.Columns == nil && t.LabelAt == model.LabelAt}
}

func tableParts(table []byte) []string {
	parts := []string{"table.label_at"}
	e, err := tables.Decode(table)
	if err != nil || e == nil {
		return parts
	}
	parts = append(parts, "table.columns.name")
	if slices.ContainsFunc(e.Columns, func(c tables.Column) bool {
		return c.Text != nil && c.Text.Words != nil
	}) {
		parts = append(parts, "table.columns.text.words")
	}
	return append(parts, "table.header", "table.label.name")
}

// compareEncoders does not compare names if only the model or only the file has a header.
func compareEncoders(model json.RawMessage, fitted *tables.Encoder) (*tableCheck, error) {
	text, err := json.Marshal(fitted)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(model, text) {
		return &tableCheck{compared: true, words: true, named: true, placed: !fitted.Header}, nil
	}
	var have, want any
	if err := json.Unmarshal(model, &have); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &want); err != nil {
		return nil, err
	}
	a, b := have.(map[string]any), want.(map[string]any)
	check := &tableCheck{compared: true, words: true}
	header, _ := a["header"].(bool)
	check.named = header == b["header"].(bool)
	if !check.named {
		for _, e := range []map[string]any{a, b} {
			delete(e, "header")
			if label, ok := e["label"].(map[string]any); ok {
				delete(label, "name")
			}
			dropKey(e, "name")
		}
	}
	check.placed = check.named && !header && reflect.DeepEqual(a["label_at"], b["label_at"])
	delete(a, "label_at")
	delete(b, "label_at")
	check.differs = difference(a, b)
	return check, nil
}

func dropKey(encoder map[string]any, key string) {
	columns, _ := encoder["columns"].([]any)
	for _, c := range columns {
		if c, ok := c.(map[string]any); ok {
			delete(c, key)
		}
	}
}

func difference(model, data map[string]any) string {
	have, _ := model["columns"].([]any)
	want, _ := data["columns"].([]any)
	for i := range min(len(have), len(want)) {
		a, ok := have[i].(map[string]any)
		b, _ := want[i].(map[string]any)
		if reflect.DeepEqual(have[i], want[i]) {
			continue
		}
		name := fmt.Sprint(i)
		if named, ok := b["name"].(string); ok {
			name = escape.Name(escape.Cut(named))
		}
		if !ok {
			return "column " + name
		}
		return fmt.Sprintf("column %s: %s", name, firstKey(a, b))
	}
	if reflect.DeepEqual(model, data) {
		return ""
	}
	return firstKey(model, data)
}

func firstKey(have, want map[string]any) string {
	keys := map[string]bool{}
	for _, object := range []map[string]any{have, want} {
		for key := range object {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if reflect.DeepEqual(have[key], want[key]) {
			continue
		}
		a, inner := have[key].(map[string]any)
		if b, both := want[key].(map[string]any); inner && both {
			return escape.Name(escape.Cut(key)) + ": " + firstKey(a, b)
		}
		return escape.Name(escape.Cut(key)) + firstElement(have[key], want[key])
	}
	return "it differs"
}

// For arrays, firstElement names the first element that differs, counted from 0.
func firstElement(a, b any) string {
	have, _ := a.([]any)
	want, _ := b.([]any)
	for i := range min(len(have), len(want)) {
		if !reflect.DeepEqual(have[i], want[i]) {
			return fmt.Sprintf(": element %d%s", i, firstElement(have[i], want[i]))
		}
	}
	if have != nil && want != nil {
		return fmt.Sprintf(" has the length %d, these data give %d", len(have), len(want))
	}
	return fmt.Sprintf(" is %s, these data give %s", shortJSON(a), shortJSON(b))
}

func shortJSON(v any) string {
	if v == nil {
		return "nothing"
	}
	text, _ := json.Marshal(v) // no error: v was decoded from JSON
	const most = 60
	if len(text) > most {
		return escape.Text(string(text[:most])) + "..."
	}
	return escape.Text(string(text))
}

// sameEncoder reports whether two encoders are equal apart from the n-grams that name buckets,
// which training may add. words reports whether they are equal in these, too.
func sameEncoder(a, b json.RawMessage) (same, words bool) {
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false, false
	}
	words = reflect.DeepEqual(x, y)
	for _, encoder := range []map[string]any{x, y} {
		columns, _ := encoder["columns"].([]any)
		for _, c := range columns {
			column, _ := c.(map[string]any)
			text, _ := column["text"].(map[string]any)
			delete(text, "words")
		}
	}
	return reflect.DeepEqual(x, y), words
}
