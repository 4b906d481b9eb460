package dataset

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/sys/files"
)

// A Format is the format of a file. The empty string means FormatAuto.
type Format string

const (
	FormatAuto     Format = "auto"     // chosen by the file's name: see FormatOf
	FormatSvmlight Format = "svmlight" // "label index:value index:value ...", LIBSVM's format
	FormatCSV      Format = "csv"
	FormatTSV      Format = "tsv"
	FormatLines    Format = "lines" // "label<TAB>text", or a text alone, per line
	FormatJSONL    Format = "jsonl" // one flat JSON object per line
	FormatNPY      Format = "npy"   // NumPy's array
	FormatIDX      Format = "idx"   // MNIST's pair of images and labels
	FormatPGSM     Format = "pgsm"  // this package's binary format, which is mapped into memory
)

type formatInfo struct {
	name    Format
	endings []string // endings of file names, without the ending for compression
	only    []string // endings of files that are only read
	writes  bool
	table   bool // whether files are rows of cells
	mapped  bool // whether files are mapped: they must be regular and not compressed

	// isPair reports whether path consists of the names of two files of this format; nil if the
	// format has no pairs. bothNeeded is set if one file alone is an error.
	isPair     func(path string) bool
	bothNeeded bool
}

var formats = []formatInfo{
	{name: FormatSvmlight, endings: []string{".svm", ".libsvm", ".svmlight", ".txt"}, writes: true},
	{name: FormatCSV, endings: []string{".csv"}, only: []string{".psv"}, writes: true, table: true},
	{name: FormatTSV, endings: []string{".tsv", ".tab"}, table: true},
	{name: FormatLines, table: true},
	{name: FormatJSONL, endings: []string{".jsonl", ".ndjson"}, table: true},
	{name: FormatNPY, endings: []string{".npy"}, writes: true, isPair: isNPYPair},
	{name: FormatIDX, isPair: isIDXPair, bothNeeded: true},
	{name: FormatPGSM, endings: []string{".pgsm"}, writes: true, mapped: true},
}

// Formats returns the formats that [Read] reads, without FormatAuto.
func Formats() []Format {
	var all []Format
	for _, f := range formats {
		all = append(all, f.name)
	}
	return all
}

func (f Format) info() formatInfo {
	for _, info := range formats {
		if info.name == f {
			return info
		}
	}
	return formatInfo{name: f}
}

// IsTable reports whether files of the format consist of rows of cells.
func (f Format) IsTable() bool { return f.info().table }

// CanWrite reports whether [Write] can write format f to a file called path. If path ends in .gz,
// the caller must compress the data; FormatPGSM does not allow .gz. Apart from one .gz, path must
// not end in .gz, .bz2 or .zst, nor, for FormatCSV, in .psv, nor name a pair of .npy files.
func (f Format) CanWrite(path string) bool {
	info := f.info()
	plain, _ := files.CutEnding(path, ".gz")
	return info.writes && !slices.Contains(info.only, files.Ending(plain)) &&
		!(info.mapped && plain != path) && files.PlainName(plain) == plain && !isNPYPair(path)
}

// FormatOf returns the format by the ending of the file's name, in lower or upper case, after
// cutting .gz, .bz2 or .zst. It returns FormatSvmlight for "-", FormatIDX for the names of two IDX
// files with a comma between, and FormatAuto if the name does not tell the format.
func FormatOf(path string) Format {
	if path == "-" {
		return FormatSvmlight
	}
	if isIDXPair(path) {
		return FormatIDX
	}
	ending := files.Ending(files.PlainName(path))
	for _, info := range formats {
		if slices.Contains(info.endings, ending) || slices.Contains(info.only, ending) {
			return info.name
		}
	}
	return FormatAuto
}

func isPair(path string, is func(name string) bool) bool {
	a, b, ok := strings.Cut(path, ",")
	return ok && is(a) && is(b)
}

func isNPYPair(path string) bool {
	return isPair(path, func(name string) bool {
		return files.Ending(files.PlainName(name)) == ".npy"
	})
}

func isIDXPair(path string) bool {
	return isPair(path, func(name string) bool {
		name = strings.ToLower(filepath.Base(name))
		return strings.Contains(name, "idx") && strings.Contains(name, "ubyte")
	})
}
