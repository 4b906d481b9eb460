package dataset

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// A Layout is the memory layout of a set's features. The empty string means LayoutAuto.
type Layout string

const (
	LayoutAuto   Layout = "auto" // dense if a quarter or more of the features are nonzero
	LayoutDense  Layout = "dense"
	LayoutSparse Layout = "sparse"
)

// An IndexBase is the number of the first feature in an svmlight file. The empty string means
// BaseOne.
type IndexBase string

const (
	BaseOne  IndexBase = "1"    // the format's own base: an index 0 is an error
	BaseZero IndexBase = "0"    // index j is column j
	BaseAuto IndexBase = "auto" // 0 if the file has an index 0 anywhere, else 1
)

// Unsorted is the treatment of svmlight lines whose indices don't ascend. The empty string means
// UnsortedError.
type Unsorted string

const (
	UnsortedError Unsorted = "error"
	UnsortedSort  Unsorted = "sort" // a repeated index is still an error
	UnsortedSum   Unsorted = "sum"  // adds values with equal indices in float32, in the file's order
)

// A Header specifies whether the first row of a table names the columns. The empty string means
// HeaderAuto.
type Header string

const (
	HeaderAuto Header = "auto" // by comparing the row with the columns below it
	HeaderYes  Header = "yes"
	HeaderNo   Header = "no"
)

// MissingLabels is the treatment of table rows without a label. The empty string means
// MissingError.
type MissingLabels string

const (
	MissingError MissingLabels = "error"
	MissingDrop  MissingLabels = "drop" // leave the row out: see Set.LeftOut
	MissingKeep  MissingLabels = "keep" // the label is NaN, also if a cell can't be a label
)

// Labels specifies whether the data have labels. The empty string means LabelsYes.
type Labels string

const (
	LabelsYes Labels = "yes"
	LabelsNo  Labels = "no"
	// LabelsAuto treats data as unlabelled in three cases: a CSV file whose header lacks the name
	// of the label's column (Options.Table), a CSV or .npy file with exactly Options.Features
	// columns, and svmlight text whose first line begins with a feature, index:value.
	LabelsAuto Labels = "auto"
)

// Limits on the number of columns if MaxFeatures is 0: a single index is enough to ask for a
// column, and a column takes some 35 bytes in training; in a line of CSV text it takes 100 while
// the line is read.
const (
	defaultMaxFeatures = 1 << 27 // in any file
	freeFeatures       = 1 << 20 // in a file with fewer values than this
	csvFeatures        = 1 << 18 // in a CSV file
)

// maxHashBits is the largest HashBits.
const maxHashBits = 30

// Options control reading. The zero value is right for most files.
type Options struct {
	Format Format // for files whose names don't tell it

	// More names further files, whose rows follow those of the first one. All are svmlight text,
	// all are lines of JSON, or all are other tables, each in its own form. Tables must be regular
	// files, and either all have no header, or all have the same names in their headers, in any
	// order: the columns are those of the first file.
	More   []string
	Layout Layout

	// Features, if not 0, is the number of columns of the result. Prediction sets it to the number
	// of the model. In svmlight and .pgsm data, further features are ignored and counted in
	// Set.Ignored, and missing ones are zero. CSV, .npy and IDX files must have exactly this
	// number.
	Features int

	// Table, if not nil, describes the columns of the data that a model was trained with. If both
	// it and the header of a CSV file have names, columns are found by name, in any order: the
	// result has the table's order, a missing column is an error, and other columns are left out
	// and listed in Set.Others. Otherwise columns are matched by position. The label's column is
	// the table's, too, unless LabelColumn names another.
	Table *Table

	// Encoder, if not nil, encodes the cells of a table as features and labels: package table sets
	// it. If the encoder reads the columns of a given table, Features and Table are set to the
	// number and the names of these columns.
	Encoder form.Encoder

	Labels        Labels // whether the data have labels
	MissingLabels MissingLabels
	// RoundLabels rounds whole numbers that float32 can't hold exactly, for regression, and counts
	// them in Set.Rounded. Without it they are an error.
	RoundLabels bool

	// MaxFeatures is the largest number of columns that a file may ask for, at most 2^31-1, because
	// a single index is enough to ask for a column and training takes some 35 bytes for each. 0
	// means 2^20, or the number of the file's values if that is larger, up to 2^27; for CSV files
	// it means 2^18.
	MaxFeatures int
	paid        bool // MaxFeatures was 0

	bytes *int64 // number of bytes read so far
	meter *meter // of all files that are read together; nil for one file

	// MaxBytes, if not 0, is the most bytes to read of all files, counted after decompression.
	MaxBytes int64

	IndexBase IndexBase // svmlight
	Unsorted  Unsorted  // svmlight

	// LabelColumn is the column of the labels in a table or an .npy file: its name in the header,
	// its number, counted from 0, or "last". The empty string means the column given by Table or,
	// in a table, the one that [ChooseLabel] finds, not counting columns at the end without names
	// and values; in an .npy file it means the last.
	LabelColumn string

	// The form of a table's text. Empty fields are detected: see [Form].
	Encoding  string // utf-8, utf-16le, utf-16be or windows-1252
	Separator string // one of , ; tab and |, or another character of one byte
	Quote     string // a character of one byte, or "none"
	Comment   string // the character that begins lines to skip, or "none"
	Decimal   string // "." or ",", for columns whose cells don't tell
	SkipLines int    // lines above the table; 0 detects them, -1 is none
	Header    Header

	// KeepRows makes a row of each row in the file, for predictions that stay in step with it: also
	// of blank lines in tables of one column, and of rows with too few or too many cells.
	KeepRows bool

	// HashBits, if not 0, is the logarithm of the number of columns: each index of an svmlight file
	// is hashed to one of 2^HashBits, and may be any number below 2^64: docs/spec.md says how.
	HashBits int

	// InMemory makes Read load and check a whole .pgsm file, in place of mapping it.
	InMemory bool

	// Threads is the number of threads that parse text, 0 for all CPUs, and limited to a few for
	// each CPU. Each parses a part of svmlight text; of a table in a file one splits rows and
	// another encodes them. The result does not depend on it.
	Threads int

	// Decompressors are further compression formats, besides gzip; one for gzip replaces the
	// standard library's.
	Decompressors []Decompressor

	// Stdin, if not nil, replaces standard input, whose name is "-".
	Stdin io.Reader

	// Progress, if not nil, is called about once per megabyte read and at the end, by one goroutine
	// at a time, with the number of bytes read, before decompression, and their total, 0 if that
	// isn't known.
	Progress func(read, total int64)

	// Context, if not nil, stops reading when it is canceled; the error is the context's. A call
	// that waits for input is not interrupted.
	Context context.Context

	uses []bool // whether Encoder uses each column of Table
}

// leavesOut reports whether the encoder does not use column i of Table.
func (o *Options) leavesOut(i int) bool { return i < len(o.uses) && !o.uses[i] }

// A Decompressor decompresses the files of one format:
//
//	Magic  string // the first bytes of such a file
//	Ending string // of the names of such files, as .zst
//	Open   func(io.Reader) (io.ReadCloser, error)
//
// It is used for files that start with Magic, and for files of no other format whose names end in
// Ending. One goroutine at a time reads from the reader that Open returns.
type Decompressor = files.Decompressor

// filled returns the options with defaults for fields that are zero, or an error if they are
// invalid.
func (o Options) filled() (Options, error) {
	o.Format = cmp.Or(o.Format, FormatAuto)
	o.Layout = cmp.Or(o.Layout, LayoutAuto)
	o.IndexBase = cmp.Or(o.IndexBase, BaseOne)
	o.Unsorted = cmp.Or(o.Unsorted, UnsortedError)
	o.Header = cmp.Or(o.Header, HeaderAuto)
	o.Labels = cmp.Or(o.Labels, LabelsYes)
	o.MissingLabels = cmp.Or(o.MissingLabels, MissingError)
	if o.MaxFeatures == 0 {
		o.MaxFeatures, o.paid = defaultMaxFeatures, true
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
		return o, fmt.Errorf("dataset: %d threads", o.Threads)
	case o.Labels == LabelsNo && o.LabelColumn != "":
		return o, fmt.Errorf("dataset: LabelColumn %q of data without labels", o.LabelColumn)
	case o.Table != nil && o.Table.Columns != nil && len(o.Table.Columns) != o.Features:
		return o, fmt.Errorf("dataset: a Table of %d columns for %d Features",
			len(o.Table.Columns), o.Features)
	}
	return o, nil
}

// checkWords checks the options that have a fixed set of values.
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

// oneOf returns an error unless an option's word is one of the known words.
func oneOf[W ~string](option string, word W, known ...W) error {
	if slices.Contains(known, word) {
		return nil
	}
	return fmt.Errorf("dataset: %s %q: want one of %q", option, word, known)
}

func (l Layout) check() error {
	return oneOf("layout", cmp.Or(l, LayoutAuto), LayoutAuto, LayoutDense, LayoutSparse)
}

// checkForm checks the options that are characters.
func (o Options) checkForm() error {
	for option, character := range map[string]string{"separator": o.Separator, "quote": o.Quote,
		"comment": o.Comment} {
		if len(character) > 1 && !(character == "none" && option != "separator") ||
			len(character) == 1 && (character[0] < ' ' && character[0] != '\t' || character[0] > '~') {
			return fmt.Errorf("dataset: %s %q: want a character of one byte", option, character)
		}
	}
	return nil
}

// checkFeatures checks the numbers of features. The largest column has to fit an int32, in either
// base.
func (o Options) checkFeatures() error {
	hashed := 0
	if o.HashBits > 0 && o.HashBits <= maxHashBits {
		hashed = 1 << o.HashBits
	}
	switch {
	case o.MaxFeatures < 0 || o.MaxFeatures > math.MaxInt32:
		return fmt.Errorf("dataset: MaxFeatures %d: want 1 to %d", o.MaxFeatures, math.MaxInt32)
	case o.Features < 0 || o.Features > o.MaxFeatures:
		return fmt.Errorf("dataset: %d features: want at most %d (MaxFeatures)",
			o.Features, o.MaxFeatures)
	case o.HashBits < 0 || o.HashBits > maxHashBits:
		return fmt.Errorf("dataset: %d hash bits: want 1 to %d", o.HashBits, maxHashBits)
	case hashed > o.MaxFeatures || hashed > 0 && o.Features > 0 && o.Features != hashed:
		return fmt.Errorf("dataset: %d hash bits make %d features: want at most %d (MaxFeatures), "+
			"and the number in Features if that is set", o.HashBits, hashed, o.MaxFeatures)
	}
	return nil
}

// columns returns the number of columns of a set with n features, from a file with the given number
// of four-byte values: Features, if it is set. It fails if n itself is too large.
func (o Options) columns(n, values int) (int, error) {
	if o.Features > 0 {
		return o.Features, nil
	}
	if n > o.MaxFeatures {
		return 0, fmt.Errorf("%d columns are beyond the limit of %d features (-max-features)",
			n, o.MaxFeatures)
	}
	if o.paid && n > max(freeFeatures, values) {
		return 0, fmt.Errorf("%d columns are beyond the limit of %d features for a file of %d "+
			"values (-max-features)", n, max(freeFeatures, values), values)
	}
	return n, nil
}

// maxCSVFeatures is MaxFeatures for a CSV file.
func (o Options) maxCSVFeatures() int {
	if o.paid {
		return csvFeatures
	}
	return o.MaxFeatures
}

// unlabelled reports whether rows with this number of cells have no label, and returns the number
// of features. It fails if Features is set and differs.
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
		err = fmt.Errorf("%d columns, want %d", cells, o.Features)
	case o.Features > 0 && features != o.Features:
		err = fmt.Errorf("%d columns, want %d with the label column", cells, o.Features+1)
	case cells == 0:
		err = fmt.Errorf("no columns: want features and a label")
	case features == 0:
		err = fmt.Errorf("one column only: want features and a label")
	}
	return without, features, err
}

// dense returns an error if Features is set and rows without indices have another number of
// features.
func (o Options) dense(features int) error {
	if o.Features > 0 && features != o.Features {
		return fmt.Errorf("%d features a row, want %d", features, o.Features)
	}
	return nil
}

// noHash refuses to hash the features of a format that has no indices.
func (o Options) noHash(name string) error {
	if o.HashBits > 0 {
		return fmt.Errorf("%s: only svmlight data can be hashed, by their indices", name)
	}
	return nil
}
