package dataset

import (
	"context"
	"fmt"
	"math"
	"runtime"
)

// A Format is the form of a file. The empty string means FormatAuto.
type Format string

const (
	FormatAuto     Format = "auto"     // by the name, see Read
	FormatSvmlight Format = "svmlight" // "label index:value index:value ...", also known as LIBSVM's
	FormatCSV      Format = "csv"
	FormatTSV      Format = "tsv"
	FormatNPY      Format = "npy"  // NumPy's array
	FormatIDX      Format = "idx"  // MNIST's pair of images and labels
	FormatPGSM     Format = "pgsm" // this package's binary form, which is mapped into memory
)

// A Layout is how a Set holds its features. The empty string means LayoutAuto.
type Layout string

const (
	LayoutAuto   Layout = "auto" // dense if at least a quarter of the features are nonzero, else sparse
	LayoutDense  Layout = "dense"
	LayoutSparse Layout = "sparse"
)

// An IndexBase is the number of the first feature in an svmlight file. The empty string means BaseOne.
type IndexBase string

const (
	BaseOne  IndexBase = "1"    // as the format has it: an index 0 is an error
	BaseZero IndexBase = "0"    // index j is column j
	BaseAuto IndexBase = "auto" // 0 if an index 0 stands anywhere in the file, else 1
)

// Unsorted says what to do with svmlight lines whose indices don't ascend. The empty string means UnsortedError.
type Unsorted string

const (
	UnsortedError Unsorted = "error"
	UnsortedSort  Unsorted = "sort" // an index that is there twice is an error still
	UnsortedSum   Unsorted = "sum"  // values of the same index are added, in the file's order and in float32
)

// A Header says whether the first row of a CSV file names the columns. The empty string means HeaderAuto.
type Header string

const (
	HeaderAuto Header = "auto" // it does if no feature in it is a number
	HeaderYes  Header = "yes"
	HeaderNo   Header = "no"
)

const defaultMaxFeatures = 1 << 27

// maxHashBits is the largest HashBits.
const maxHashBits = 30

// Options say how to read. The zero value is right for most files.
type Options struct {
	Format Format // of a file whose name does not tell
	Layout Layout

	// Features, if not 0, is the number of columns of the result: further features in the data are ignored and
	// counted in Set.Ignored, missing ones are zeros. Prediction sets it to what the model was trained with.
	Features int

	// MaxFeatures is the most columns that a file may ask for, 0 meaning 2^27. A weight vector of that length takes
	// 512 MiB, and one index is enough to ask for it.
	MaxFeatures int

	// MaxBytes, if not 0, is the most bytes to read, counted after decompression.
	MaxBytes int64

	IndexBase IndexBase // svmlight
	Unsorted  Unsorted  // svmlight

	// LabelColumn of a CSV or .npy file is its number, counted from 0, its name in a CSV file's header, or "last", which
	// is what the empty string means.
	LabelColumn string
	Header      Header // CSV

	// PixelDivisor divides the pixels of an IDX file: features are float32(pixel)/PixelDivisor. 0 means 255.
	PixelDivisor float32

	// HashBits, if not 0, is the logarithm of the number of columns: each index of an svmlight file is hashed to one of
	// 2^HashBits, and may be any number below 2^64. See ReadSvmlight.
	HashBits int

	// InMemory says to read a .pgsm file into memory, all of it, and check it, in place of mapping it.
	InMemory bool
	// Verify says to check all of a .pgsm file before it is used, as Set.Verify does.
	Verify bool

	// Threads is how many threads parse svmlight text, 0 meaning all there are. It changes no bit of the result.
	Threads int

	// Progress, if not nil, is called as the reading goes on, about once a megabyte and at the end, by one goroutine
	// at a time. It is told the bytes read, before decompression, and the bytes there are, 0 if that isn't known.
	Progress func(read, total int64)

	// Context, if not nil, ends the reading with its error when it is cancelled. A call that waits for input is not
	// interrupted.
	Context context.Context
}

// filled returns the options with defaults in place of zeros.
func (o Options) filled() (Options, error) {
	if o.Format == "" {
		o.Format = FormatAuto
	}
	if o.Layout == "" {
		o.Layout = LayoutAuto
	}
	if o.IndexBase == "" {
		o.IndexBase = BaseOne
	}
	if o.Unsorted == "" {
		o.Unsorted = UnsortedError
	}
	if o.Header == "" {
		o.Header = HeaderAuto
	}
	if o.LabelColumn == "" {
		o.LabelColumn = "last"
	}
	if o.MaxFeatures == 0 {
		o.MaxFeatures = defaultMaxFeatures
	}
	if o.PixelDivisor == 0 {
		o.PixelDivisor = 255
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Context == nil {
		o.Context = context.Background()
	}

	switch o.Format {
	case FormatAuto, FormatSvmlight, FormatCSV, FormatTSV, FormatNPY, FormatIDX, FormatPGSM:
	default:
		return o, fmt.Errorf("dataset: format %q: want auto, svmlight, csv, tsv, npy, idx or pgsm", o.Format)
	}
	if err := o.Layout.check(); err != nil {
		return o, err
	}
	switch o.IndexBase {
	case BaseOne, BaseZero, BaseAuto:
	default:
		return o, fmt.Errorf("dataset: index base %q: want 1, 0 or auto", o.IndexBase)
	}
	switch o.Unsorted {
	case UnsortedError, UnsortedSort, UnsortedSum:
	default:
		return o, fmt.Errorf("dataset: unsorted %q: want error, sort or sum", o.Unsorted)
	}
	switch o.Header {
	case HeaderAuto, HeaderYes, HeaderNo:
	default:
		return o, fmt.Errorf("dataset: header %q: want auto, yes or no", o.Header)
	}
	// The largest column has to fit an int32, in either base.
	if o.MaxFeatures < 0 || o.MaxFeatures > math.MaxInt32 {
		return o, fmt.Errorf("dataset: MaxFeatures %d: want 1 to %d", o.MaxFeatures, math.MaxInt32)
	}
	if o.Features < 0 || o.Features > o.MaxFeatures {
		return o, fmt.Errorf("dataset: %d features: want at most %d (MaxFeatures)", o.Features, o.MaxFeatures)
	}
	if o.HashBits < 0 || o.HashBits > maxHashBits {
		return o, fmt.Errorf("dataset: %d hash bits: want 1 to %d", o.HashBits, maxHashBits)
	}
	if o.HashBits > 0 && (1<<o.HashBits > o.MaxFeatures || o.Features > 0 && o.Features != 1<<o.HashBits) {
		return o, fmt.Errorf("dataset: %d hash bits make %d features: want at most %d (MaxFeatures), and as many as Features says",
			o.HashBits, 1<<o.HashBits, o.MaxFeatures)
	}
	if o.MaxBytes < 0 {
		return o, fmt.Errorf("dataset: MaxBytes %d is negative", o.MaxBytes)
	}
	if o.Threads < 0 {
		return o, fmt.Errorf("dataset: %d threads", o.Threads)
	}
	if !(o.PixelDivisor >= 0x1p-100 && o.PixelDivisor <= 0x1p100) { // else a pixel may become infinite, or 0
		return o, fmt.Errorf("dataset: pixel divisor %v: want 2^-100 to 2^100", o.PixelDivisor)
	}
	return o, nil
}

// noHash refuses to hash the features of a format that has no indices.
func (o Options) noHash(name string) error {
	if o.HashBits > 0 {
		return fmt.Errorf("%s: hashing is for the indices of svmlight data", name)
	}
	return nil
}

func (l Layout) check() error {
	switch l {
	case "", LayoutAuto, LayoutDense, LayoutSparse:
		return nil
	}
	return fmt.Errorf("dataset: layout %q: want auto, dense or sparse", l)
}
