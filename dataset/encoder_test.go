package dataset

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/text/form"
)

type observer struct {
	lengths
	sources []form.Source
	rows    int
	stop    int // row to stop at, from 1; 0 for none
}

func (o *observer) Begin(s form.Source) { o.sources = append(o.sources, s) }

func (o *observer) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	if o.rows++; len(o.sources) != 1 {
		return columns, values, 0, "Begin was not called exactly once"
	}
	if o.rows == o.stop {
		return columns, values, 0, form.Stop
	}
	return o.lengths.Encode(cells, columns, values)
}

func TestEncoderBegin(t *testing.T) {
	for _, c := range []struct {
		text string
		opt  Options
		want form.Source
	}{
		{"a,y,b\n1,2,3\n1,2,3\n", Options{LabelColumn: "y"},
			form.Source{Table: &Table{Columns: []string{"a", "b"}, Label: "y", LabelAt: 1}}},
		{"1;2;3\n", Options{Decimal: ",", MissingLabels: MissingDrop},
			form.Source{Decimal: ',', DropUnlabelled: true}},
		{"1,2,3\n", Options{MissingLabels: MissingKeep, MaxFeatures: 7},
			form.Source{DropUnlabelled: true, AnyWidth: true}},
	} {
		o := &observer{lengths: lengths{columns: 2}}
		c.opt.Encoder = o
		if _, err := readCSVText(c.text, c.opt); err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		have := o.sources[0]
		if have.Form.Format != form.CSV || have.Form.Header != (c.want.Table != nil) {
			t.Errorf("%q: %+v", c.text, have.Form)
		}
		if have.Form = c.want.Form; !reflect.DeepEqual(have, c.want) {
			t.Errorf("%q: %+v, table %+v, want %+v", c.text, have, have.Table, c.want)
		}
	}
	o := &observer{lengths: lengths{columns: 2}}
	if _, err := readCSVText("a,b,y\n", Options{Encoder: o}); err != nil || len(o.sources) > 0 {
		t.Errorf("without rows: %d calls of Begin, %v", len(o.sources), err)
	}
}

func TestEncoderStop(t *testing.T) {
	const rows = "1,2,3\nbad,2,3\n1,2,3\n1,2,3\n"
	for stop := 1; stop <= 4; stop++ {
		o := &observer{lengths: lengths{columns: 2}, stop: stop}
		_, err := readCSVText(rows, Options{Encoder: o})
		if err == nil || !strings.Contains(err.Error(), form.Stop) || o.rows != stop {
			t.Errorf("at row %d: %d rows, %v", stop, o.rows, err)
		}
	}
}
