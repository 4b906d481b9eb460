package dataset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// A Layout is the memory layout of a set's features. The empty string means LayoutAuto.
type Layout string

const (
	// LayoutAuto means LayoutDense if at least a quarter of all values are nonzero. A .pgsm file
	// keeps its layout.
	LayoutAuto   Layout = "auto"
	LayoutDense  Layout = "dense"
	LayoutSparse Layout = "sparse"
)

// An IndexBase is the number of the first feature in an svmlight file. The empty string means
// BaseOne.
type IndexBase string

const (
	BaseOne  IndexBase = "1"    // the format's standard: an index 0 is an error
	BaseZero IndexBase = "0"    // index j is column j
	BaseAuto IndexBase = "auto" // 0 if an index 0 occurs anywhere in the files, else 1
)

// Unsorted is the treatment of svmlight lines whose indices don't ascend. The empty string means
// UnsortedError.
type Unsorted string

const (
	UnsortedError Unsorted = "error"
	UnsortedSort  Unsorted = "sort" // without HashBits, a repeated index is an error
	UnsortedSum   Unsorted = "sum"  // adds values of equal indices in float32, in the file's order
)

// A Header specifies whether the first row of a table names the columns. The empty string means
// HeaderAuto.
type Header string

const (
	HeaderAuto Header = "auto" // detected
	HeaderYes  Header = "yes"
	HeaderNo   Header = "no"
)

// MissingLabels is the treatment of table rows without a label. The empty string means
// MissingError.
type MissingLabels string

const (
	MissingError MissingLabels = "error"
	MissingDrop  MissingLabels = "drop" // leaves the row out and lists it in Set.LeftOut
	MissingKeep  MissingLabels = "keep" // sets the label to NaN, also if the cell can't be a label
)

// Labels specifies whether the data have labels. The empty string means LabelsYes.
type Labels string

const (
	LabelsYes Labels = "yes"
	LabelsNo  Labels = "no"
	// LabelsAuto treats these as unlabelled: a table whose columns are matched by name and lack the
	// label's column in Options.Table; a table or .npy file with exactly Options.Features columns
	// that are not matched by name; svmlight text whose first row begins with a feature,
	// index:value. With Options.LabelColumn, tables and .npy files are treated as labelled.
	LabelsAuto Labels = "auto"
)

// Limits on the number of features if MaxFeatures is 0.
const (
	defaultMaxFeatures = 1 << 27
	freeFeatures       = 1 << 20 // more for a file with more values: see method columns
	csvFeatures        = 1 << 18 // of a table
)

const maxHashBits = 30

// Options control reading.
type Options struct {
	Format Format // empty or FormatAuto: chosen by the file's name

	// More names further files, whose rows follow the rows of the first file. All files are
	// svmlight text, or all are lines of JSON, or all are other tables, which may differ in
	// separators and the like. Tables and lines of JSON must be regular files. Of the tables that
	// are not empty, either none has a header, or all have the same names in their headers, in any
	// order. Unless Table gives the order, the set's columns are in the order of the first of these
	// tables.
	More   []string
	Layout Layout

	// Features, if not 0, is the number of features: for prediction, the model's number. In
	// svmlight and .pgsm data, nonzeros of further features are left out and counted in
	// Set.Ignored, and missing features are zero. Other files must have exactly this number of
	// features, except that Table may leave out columns.
	Features int

	// Table, if not nil, describes the columns of a model's training data. If both Table and the
	// file name the columns, they are matched by name, and the set's columns are in Table's order.
	// Then a missing column is an error unless Encoder does not use it, and other columns are left
	// out and listed in Set.Others. Otherwise columns are matched by position. Table also gives the
	// label's column unless LabelColumn does.
	Table *Table

	// Encoder, if not nil, encodes the cells of a table as features and labels: Fit of package
	// pegasos/table sets it. If its method Reads returns a table, this table and the number of its
	// columns replace Table and Features.
	Encoder form.Encoder

	Labels        Labels
	MissingLabels MissingLabels
	// RoundLabels, meant for regression, concerns labels of svmlight text and tables that are whole
	// numbers, written without an exponent, and not exact in float32. If RoundLabels is set, Read
	// rounds these labels and counts them in Set.Rounded; otherwise they are errors.
	RoundLabels bool

	// MaxFeatures is the largest number of features of a file, at most 2^31-1. It bounds memory: a
	// single index can claim any number of columns. 0 means 2^18 for tables. For other files it
	// means 2^27 with Features or HashBits; otherwise 2^20, and more for large files, up to 2^27.
	MaxFeatures int
	autoMax     bool // MaxFeatures was 0

	bytes *int64 // bytes read so far, after decompression
	meter *meter // for files read together; else nil

	// MaxBytes, if not 0, is the largest total size of the files after decompression; more bytes
	// are an error.
	MaxBytes int64

	IndexBase IndexBase // of svmlight text
	Unsorted  Unsorted  // for svmlight text

	// LabelColumn is the column of the labels in a table or an .npy file: its name in the header,
	// its number, counted from 0, or "last". If LabelColumn is empty, Table gives the column. If
	// Table is nil too, [ChooseLabel] chooses by the names of a table's columns; without names, the
	// last column has the labels. Both rules leave out the columns that Form.Trailing counts.
	LabelColumn string

	// The fields from Encoding to Header describe the text of a table. Empty fields are detected,
	// and Set.Form has the result.
	Encoding  string // utf-8, utf-16, utf-16le, utf-16be, windows-1252, iso-8859-1 or latin1
	Separator string // character of one byte between cells, such as , ; | or a tab
	Quote     string // character of one byte around cells, or "none"
	Comment   string // character of one byte that begins lines to skip, or "none"
	Decimal   string // decimal mark, "." or ",", if Encoder is being fitted to the table
	SkipLines int    // number of lines above the table; 0 to detect it, -1 for none
	Header    Header

	// KeepRows makes the set have exactly one row for each row of a table, except repeated headers
	// and rows that MissingDrop leaves out. Rows with too few cells are filled with empty cells,
	// rows with too many cells are cut, and blank lines are rows in tables of one column and in
	// FormatLines.
	KeepRows bool

	// HashBits, if not 0, is the binary logarithm of the number of columns: each index of an
	// svmlight file, which may be up to 2^64-2, is hashed to one of 2^HashBits columns.
	// docs/spec.md has the hash function.
	HashBits int

	// InMemory makes Read load and check a whole .pgsm file instead of mapping it.
	InMemory bool

	// Threads is the number of threads that parse svmlight text. 0 means GOMAXPROCS; at most 64 or,
	// if more, four times the number of CPUs are used. If Threads is 1, one thread reads a table.
	// The result does not depend on Threads.
	Threads int

	// Decompressors are compression formats besides gzip. Each must have a Magic and an Open. A
	// Decompressor with the magic bytes of gzip replaces the standard library's.
	Decompressors []Decompressor

	// Stdin, if not nil, replaces standard input, whose name is "-".
	Stdin io.Reader

	// Progress, if not nil, is called about once per MiB read and at the end of each file, by one
	// goroutine at a time. read is the number of bytes read so far, before decompression; total is
	// the number of all bytes, or 0 if unknown. Progress is not called for a mapped file.
	Progress func(read, total int64)

	// Context, if not nil, stops reading when it is canceled; the error wraps the context's error.
	// A read that waits for input is not interrupted.
	Context context.Context

	uses []bool // whether Encoder uses each column of Table; nil means all
}

func (o *Options) leavesOut(i int) bool { return i < len(o.uses) && !o.uses[i] }

// A Decompressor decompresses the files of one format:
//
//	Magic  string // first bytes of each file of the format
//	Ending string // ending of the names of such files, such as ".zst"
//	Open   func(io.Reader) (io.ReadCloser, error)
//
// A Decompressor is used for files that start with Magic, and for files whose names end in Ending
// if they start with no format's Magic. One goroutine at a time reads from the reader that Open
// returns.
type Decompressor = files.Decompressor

func (o Options) filled() (Options, error) {
	o.Format = cmp.Or(o.Format, FormatAuto)
	o.Layout = cmp.Or(o.Layout, LayoutAuto)
	o.IndexBase = cmp.Or(o.IndexBase, BaseOne)
	o.Unsorted = cmp.Or(o.Unsorted, UnsortedError)
	o.Header = cmp.Or(o.Header, HeaderAuto)
	o.Labels = cmp.Or(o.Labels, LabelsYes)
	o.MissingLabels = cmp.Or(o.MissingLabels, MissingError)
	if o.MaxFeatures == 0 {
		o.MaxFeatures, o.autoMax = defaultMaxFeatures, true
	}
	o.Threads = parallel.Threads(o.Threads)
	if o.bytes == nil {
		o.bytes = new(int64)
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Encoder != nil {
		if t, uses := o.Encoder.Reads(); t != nil {
			o.Table, o.Features, o.uses = t, len(uses), uses
		}
	}
	if err := o.checkWords(); err != nil {
		return o, err
	}
	if err := cmp.Or(o.checkForm(), o.checkFeatures()); err != nil {
		return o, err
	}
	switch {
	case o.MaxBytes < 0:
		return o, fmt.Errorf("dataset: MaxBytes %d is negative", o.MaxBytes)
	case o.Threads < 0:
		return o, fmt.Errorf("dataset: Threads %d is negative", o.Threads)
	case o.Labels == LabelsNo && o.LabelColumn != "":
		return o, fmt.Errorf("dataset: LabelColumn is %q, but Labels is %q", o.LabelColumn,
			o.Labels)
	case o.Table != nil && o.Table.Columns != nil && len(o.Table.Columns) != o.Features:
		return o, fmt.Errorf("dataset: Table has %s, but Features is %d",
			plural.Count(len(o.Table.Columns), "column"), o.Features)
	}
	return o, nil
}

func (o Options) checkWords() error {
	return cmp.Or(
		oneOf("format", o.Format, append([]Format{FormatAuto}, Formats()...)...),
		o.Layout.check(),
		oneOf("index base", o.IndexBase, BaseOne, BaseZero, BaseAuto),
		oneOf("unsorted", o.Unsorted, UnsortedError, UnsortedSort, UnsortedSum),
		oneOf("header", o.Header, HeaderAuto, HeaderYes, HeaderNo),
		oneOf("labels", o.Labels, LabelsYes, LabelsNo, LabelsAuto),
		oneOf("missing labels", o.MissingLabels, MissingError, MissingDrop, MissingKeep),
		oneOf("decimal mark", o.Decimal, "", ".", ","),
	)
}

func oneOf[W ~string](option string, word W, known ...W) error {
	if slices.Contains(known, word) {
		return nil
	}
	return fmt.Errorf("dataset: %s %q: want one of %q", option, word, known)
}

func (l Layout) check() error {
	return oneOf("layout", cmp.Or(l, LayoutAuto), LayoutAuto, LayoutDense, LayoutSparse)
}

func (o Options) checkForm() error {
	if o.SkipLines < -1 {
		return fmt.Errorf("dataset: SkipLines %d: want 0 or more, or -1 for none", o.SkipLines)
	}
	for i, d := range o.Decompressors {
		if d.Open == nil || d.Magic == "" {
			return fmt.Errorf("dataset: Decompressors[%d]: want a Magic and an Open", i)
		}
	}
	for i, character := range []string{o.Separator, o.Quote, o.Comment} {
		option := []string{"separator", "quote", "comment"}[i]
		if len(character) > 1 && !(character == "none" && option != "separator") ||
			len(character) == 1 && (character[0] < ' ' && character[0] != '\t' || character[0] > '~') {
			want := "a printable ASCII character or a tab"
			if option != "separator" {
				want += `, or "none"`
			}
			return fmt.Errorf("dataset: %s %q: want %s", option, character, want)
		}
	}
	return nil
}

func (o Options) checkFeatures() error {
	hashed := 0
	if o.HashBits > 0 && o.HashBits <= maxHashBits {
		hashed = 1 << o.HashBits
	}
	switch {
	case o.MaxFeatures < 0 || o.MaxFeatures > math.MaxInt32:
		return fmt.Errorf("dataset: MaxFeatures %d (-max-features): want 1 to %d, or 0 for the default",
			o.MaxFeatures, math.MaxInt32)
	case o.Features < 0 || o.Features > o.MaxFeatures:
		return fmt.Errorf("dataset: Features %d (of a model or its table): want 0 to %d "+
			"(-max-features)", o.Features, o.MaxFeatures)
	case o.HashBits < 0 || o.HashBits > maxHashBits:
		return fmt.Errorf("dataset: HashBits %d (-hash-bits): want 0 to %d", o.HashBits, maxHashBits)
	case hashed > o.MaxFeatures:
		return fmt.Errorf("dataset: HashBits %d means %d features: want at most %d (-max-features)",
			o.HashBits, hashed, o.MaxFeatures)
	case hashed > 0 && o.Features > 0 && o.Features != hashed:
		return fmt.Errorf("dataset: HashBits %d means %d features, but Features is %d",
			o.HashBits, hashed, o.Features)
	}
	return nil
}

// columns returns the number of columns of a set: Features if that is set, else n. It returns an
// error if n exceeds MaxFeatures or, if MaxFeatures was 0, the larger of freeFeatures and values.
// values is the number of float32s that the file's values would fill.
func (o Options) columns(n, values int) (int, error) {
	if o.Features > 0 {
		return o.Features, nil
	}
	if n > o.MaxFeatures {
		return 0, fmt.Errorf("%d features are beyond the limit of %d (-max-features)", n, o.MaxFeatures)
	}
	if o.autoMax && n > max(freeFeatures, values) {
		return 0, fmt.Errorf("%d features are beyond the limit of %d for data of this size "+
			"(-max-features)", n, max(freeFeatures, values))
	}
	return n, nil
}

func (o Options) maxCSVFeatures() int {
	if o.autoMax {
		return csvFeatures
	}
	return o.MaxFeatures
}

// unlabelled reports whether rows with the given number of cells have no label. It returns an error
// if the number of features is not positive or differs from Features, unless that is 0.
func (o Options) unlabelled(cells int) (without bool, features int, err error) {
	switch o.Labels {
	case LabelsNo:
		without = true
	case LabelsAuto:
		without = o.LabelColumn == "" && cells == o.Features
	}
	if features = cells; !without {
		features--
	}
	switch {
	case o.Features > 0 && features != o.Features && without:
		err = fmt.Errorf("%s, want %d", plural.Count(cells, "column"), o.Features)
	case o.Features > 0 && features != o.Features && o.Labels == LabelsAuto && o.LabelColumn == "":
		err = fmt.Errorf("%s, want %d, or %d with the label column", plural.Count(cells, "column"),
			o.Features, o.Features+1)
	case o.Features > 0 && features != o.Features:
		err = fmt.Errorf("%s, want %d with the label column", plural.Count(cells, "column"),
			o.Features+1)
	case features == 0 && without:
		err = fmt.Errorf("no columns: want one feature or more")
	case cells == 0:
		err = fmt.Errorf("no columns: want features and a label")
	case features == 0:
		err = fmt.Errorf("one column only: want features and a label")
	}
	return without, features, err
}

func (o Options) checkWidth(features int) error {
	if o.Features > 0 && features != o.Features {
		return fmt.Errorf("%s a row, want %d", plural.Count(features, "feature"), o.Features)
	}
	return nil
}

func (o Options) noHash(name string) error {
	if o.HashBits > 0 {
		return fmt.Errorf("%s: want features hashed to %s, but only svmlight data can be hashed "+
			"(-hash-bits)", name, plural.Count(o.HashBits, "bit"))
	}
	return nil
}
