package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

func (d *dataReader) curveColumns() []int {
	if d.encoder == nil || d.encoder.Raw {
		return nil
	}
	return d.encoder.NumberFeatures()
}

func (d *dataReader) options() *progress {
	d.opt.Context = d.call
	if d.missing == "drop" {
		d.opt.MissingLabels = dataset.MissingDrop
	}
	p := newProgress(d.call.stderr, d.call.flags.Quiet)
	shown := escape.Name(d.String())
	d.opt.Progress = func(read, total int64) {
		if total > 0 {
			p.show(float64(read)/float64(total), "reading %s: %d of %d MB", shown, read/1e6,
				total/1e6)
		} else {
			p.show(0, "reading %s: %d MB", shown, read/1e6)
		}
	}
	return p
}

func (d *dataReader) read(like *pegasos.Head) (*dataset.Set, time.Duration, error) {
	p := d.options()
	if like != nil {
		if err := d.like(*like); err != nil {
			return nil, 0, err
		}
	}
	start := time.Now()
	set, err := d.readAs()
	p.clear()
	if err == nil && like != nil && set.HashBits != like.HashBits {
		set.Close()
		err = fmt.Errorf("%s: the features are hashed to %d bits, but those of the model are not hashed",
			d, set.HashBits)
	}
	for _, name := range append([]string{d.name}, d.opt.More...) {
		if err != nil && name != "-" && !strings.Contains(name, ",") {
			err = d.explain(name, err)
		}
	}
	if at := (*dataset.SyntaxError)(nil); d.name == "-" && errors.As(err, &at) &&
		d.opt.Format == dataset.FormatAuto {
		err = fmt.Errorf("%w; standard input is read as svmlight unless -format names another format",
			err)
	}
	if err != nil {
		return nil, 0, d.call.labelQuestion(err)
	}
	d.dropWeights(set)
	d.leftOut = set.LeftOut
	if d.doubts == nil { // no fitter has set any
		d.doubts = set.Doubts
	}
	if d.fits {
		d.doubtQueries()
	}
	if like == nil {
		d.doubtRows(set)
	} else if d.opt.IndexBase == dataset.BaseAuto && like.IndexBase == 0 && set.IndexBase == 1 &&
		d.format() == dataset.FormatSvmlight {
		d.doubts = append(d.doubts, dataset.Doubt{About: "rows", Text: "no index is 0, so indices are " +
			"read as counted from 1, but those of the training data count from 0", Flag: "-index-base 0"})
	}
	return set, time.Since(start), nil
}

func (d *dataReader) explain(name string, err error) error {
	info, missing := os.Stat(name)
	if errors.Is(missing, fs.ErrNotExist) {
		_, err = os.Open(name) // clearer than an error about the format
		n, f := len(d.call.more), d.call.flags
		if f.Has("model") && f.Model == "" && n > 0 && name == d.call.more[n-1] &&
			dataset.FormatOf(name) == dataset.FormatAuto {
			err = fmt.Errorf("%w; if it is to be the model's name, give it by -model", err)
		}
	} else if missing == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder, want files: name those in it", name)
	} else if model, _ := d.call.holdsModel(name); model {
		err = flags.Usagef("%s is a model, want data", name)
	} else if d.opt.Format == dataset.FormatAuto && !dataset.FormatOf(name).IsTable() &&
		strings.HasPrefix(err.Error(), name+":") && looksLikeCSV(name) &&
		!strings.Contains(err.Error(), "give -format") {
		err = fmt.Errorf("%w; if the data are CSV or TSV, or lines of a label, a tab and a "+
			"text, give -format csv, tsv or lines", err)
	}
	return err
}

func (d *dataReader) like(head pegasos.Head) (err error) {
	if d.fits && d.call.flags.GivenAny(flags.Kinds) {
		of := "a model"
		for _, name := range []string{"for", "prior", "start", "resume"} {
			if d.call.flags.Given(name) {
				of = "-" + name
			}
		}
		return flags.Usagef("-ignore, -numbers, -dates, -categories, -text and -ngrams can't be given "+
			"with %s, which decides what the columns are", of)
	}
	if err := d.checkFormat(); err != nil {
		return err
	}
	d.opt.RoundLabels = head.Classes == nil
	if d.encoder, err = predictions.Options(&d.opt, head); d.encoder != nil {
		d.opt.Encoder.(*tables.Coder).RefuseGaps = d.missing == "error"
	}
	return err
}

func (d *dataReader) readAs() (*dataset.Set, error) {
	if d.opt.Features == 0 && d.opt.Encoder == nil {
		return d.readFresh()
	}
	if d.encoder != nil && !d.encoder.Raw && !d.isTable() {
		return nil, fmt.Errorf("%s: the training data are a table, and these are not read as "+
			"one: if they are a table, give -format csv, tsv, lines or jsonl", d)
	}
	return d.again(d.opt)
}

func (d *dataReader) describe(m *pegasos.Model, set *dataset.Set, known labelling) (err error) {
	m.Names, m.IndexBase, m.HashBits = known.namesOf(m.Classes), set.IndexBase, set.HashBits
	m.Command = shellWords(d.resolved(set, m.Config.Multiclass, false))
	m.Table, err = d.tableOf(set)
	return err
}

func (d *dataReader) describeKernel(m *kernelsvm.Model, set *dataset.Set) (err error) {
	m.Names, m.IndexBase, m.HashBits = set.Names, set.IndexBase, set.HashBits
	m.Command = shellWords(d.resolved(set, m.Config.Multiclass, false))
	m.Table, err = d.tableOf(set)
	return err
}

func (d *dataReader) tell(set *dataset.Set) {
	for _, line := range d.oddities(set) {
		fmt.Fprintln(d.call.stderr, line)
	}
}

func (d *dataReader) oddities(set *dataset.Set) (lines []string) {
	if coder, encodes := d.opt.Encoder.(*tables.Coder); encodes {
		unread := d.unread
		lines = slices.DeleteFunc(coder.Odd(), func(line string) bool {
			return slices.Contains(unread, line)
		})
	}
	add := func(format string, a ...any) { lines = append(lines, fmt.Sprintf(format, a...)) }
	if n := len(set.LeftOut); n > 0 {
		add("left out %s without a label", count(n, "row"))
	}
	if set.Rounded > 0 {
		add("rounded %s (whole numbers of a magnitude above 2^24) to the nearest float32",
			count(set.Rounded, "label"))
	}
	if set.Ignored > 0 {
		add("ignored %s of features that the model does not have", count(int(set.Ignored), "nonzero"))
	}
	if set.Lacking > 0 {
		add("the data lack the last %s of the model, which count as 0", count(set.Lacking, "feature"))
	}
	if len(set.Others) > 0 {
		add("ignored columns that the model does not have: %s", firstNames(set.Others))
	}
	return lines
}

func (d *dataReader) doubtRows(set *dataset.Set) {
	if d.encoder != nil {
		d.doubtLabel(d.names())
	}
	if d.encoder == nil && set.Rows() > 0 && numbered(set) {
		d.doubts = append(d.doubts, dataset.Doubt{About: "column", Text: "the first feature seems to " +
			"number the rows: if it says nothing else, leave it out of the data"})
	}
	d.doubtRoundedFeatures(set)
}

// doubtQueries doubts svmlight files for training in which a line at the beginning has a qid.
func (d *dataReader) doubtQueries() {
	if slices.ContainsFunc(append([]string{d.name}, d.opt.More...), func(name string) bool {
		head, err := headOf(name)
		return err == nil && name != "-" && qidLine.Match(head)
	}) {
		d.doubts = append(d.doubts, dataset.Doubt{About: "rows",
			Text: "qid is left out: training predicts each row by itself and does not rank the rows " +
				"of a query"})
	}
}

var qidLine = regexp.MustCompile(`(?m)^[-+.\d][-+.\w]*[ \t]+qid:`)

func rowOf(set *dataset.Set, i int) []float32 {
	if set.Dense != nil {
		return set.Dense.Row(i)
	}
	row := make([]float32, set.Cols())
	for j, v := range set.Sparse.Nonzeros(i) {
		row[j] = v
	}
	return row
}

func numbered(set *dataset.Set) bool {
	n := min(set.Rows(), 1000)
	ascends := n >= 10 && set.Cols() > 1 // fewer rows may ascend by chance
	for i := 1; i < n && ascends; i++ {
		ascends = rowOf(set, i)[0] == rowOf(set, 0)[0]+float32(i)
	}
	return ascends
}

// failed returns a usage error if a setting is at fault, and otherwise names the data file.
func (d *dataReader) failed(err error) error {
	if bad := flags.FromConfig(err); bad != err {
		return bad
	}
	inData := func(i int) int {
		if d.trained != nil {
			i = d.trained[i]
		}
		return rowOfData(i, d.leftOut)
	}
	var row *pegasos.RowError
	var step *pegasos.StepError
	if errors.As(err, &step) && step.Row >= 0 && inData(step.Row) != step.Row {
		step.Row = inData(step.Row)
		err = step // wrapping errors still name the other row
	}
	if step != nil && step.Row >= 0 {
		return fmt.Errorf("%s: %w (rows are counted from 0)", d, err)
	}
	if errors.As(err, &row) {
		if at := inData(row.Row); at != row.Row {
			row.Row, err = at, row
		}
		how := ""
		switch f := d.call.flags; {
		case !row.Scale:
		case f.UsesKernel() && slices.ContainsFunc(strings.Fields("gamma gammas coef0 degree"), f.Given):
		case f.UsesKernel() && d.encoder != nil && !d.encoder.Raw: // the encoder scales columns
		case f.UsesKernel():
			how = "; scale the values in the file"
		case f.Text("scale") == string(pegasos.ScaleStandard):
		case f.Has("scale") && !f.Given("start") && !f.Given("prior") && !f.Given("resume"):
			how = "; scale the values with -scale standard"
		}
		return fmt.Errorf("%s: %w%s (rows are counted from 0)", d, err, how)
	}
	return fmt.Errorf("%s: %w", d, err)
}
