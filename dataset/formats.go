package dataset

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// A Format is the format of a file. The empty string means FormatAuto.
type Format string

const (
	FormatAuto     Format = "auto"     // chosen by the file's name: see FormatOf
	FormatSvmlight Format = "svmlight" // "label index:value index:value ...", LIBSVM's format
	FormatCSV      Format = "csv"
	FormatTSV      Format = "tsv"
	FormatLines    Format = "lines" // "label<TAB>text", or texts alone
	FormatJSONL    Format = "jsonl" // one flat JSON object per line
	FormatNPY      Format = "npy"   // NumPy's array
	FormatIDX      Format = "idx"   // MNIST's pair of images and labels
	FormatPGSM     Format = "pgsm"  // this package's binary format, which is mapped into memory
)

// A formatInfo says how one format's files are recognized, read and written.
type formatInfo struct {
	name    Format
	endings []string // of the names of its files, before .gz
	only    []string // endings of files that are read, but not written
	table   bool     // rows of cells, which an Options.Encoder can encode
	mapped  bool     // read from a regular file that is not compressed, by name

	// isPair reports whether path is the names of two files of this format; nil if one file holds
	// all data. bothNeeded is set if one file alone is an error.
	isPair     func(path string) bool
	bothNeeded bool

	read  func(files []arrayFile, opt Options) (*Set, error) // nil if mapped
	write func(w io.Writer, s *Set) error                    // nil if the format is only read
}

// formats lists every format. docs/data.md has a row for each, and mutants_test.go a file.
var formats []formatInfo

func init() { // the functions refer to formats
	formats = []formatInfo{
		{name: FormatSvmlight, endings: []string{".svm", ".libsvm", ".svmlight", ".txt"},
			read: func(files []arrayFile, opt Options) (*Set, error) {
				return readSvmlight(files[0].r, files[0].name, opt, chunkSize)
			}, write: WriteSvmlight},
		{name: FormatCSV, endings: []string{".csv"}, only: []string{".psv"}, table: true,
			read: readTables, write: WriteCSV},
		{name: FormatTSV, endings: []string{".tsv", ".tab"}, table: true, read: readTables},
		{name: FormatLines, table: true, read: readTables},
		{name: FormatJSONL, endings: []string{".jsonl", ".ndjson"}, table: true, read: readTables},
		{name: FormatNPY, endings: []string{".npy"}, isPair: isNPYPair,
			read: func(files []arrayFile, opt Options) (*Set, error) {
				if len(files) == 1 {
					return readNPY(files[0], nil, opt)
				}
				return readNPY(files[0], &files[1], opt)
			}, write: WriteNPY},
		{name: FormatIDX, isPair: isIDXPair, bothNeeded: true,
			read: func(files []arrayFile, opt Options) (*Set, error) {
				return readIDX(files[0], files[1], opt)
			}},
		{name: FormatPGSM, endings: []string{".pgsm"}, mapped: true,
			write: func(w io.Writer, s *Set) error {
				at, ok := w.(io.WriterAt)
				if !ok {
					return fmt.Errorf("dataset: the pgsm format is written to regular files only")
				}
				return WritePGSM(at, s)
			}},
	}
}

func readTables(files []arrayFile, opt Options) (*Set, error) {
	return readTable(files[0], opt.Format, opt)
}

// Formats returns the formats that [Read] reads, without FormatAuto.
func Formats() []Format {
	var all []Format
	for _, f := range formats {
		all = append(all, f.name)
	}
	return all
}

// info returns the entry of a format, with no functions for FormatAuto.
func (f Format) info() formatInfo {
	for _, info := range formats {
		if info.name == f {
			return info
		}
	}
	return formatInfo{name: f}
}

// IsTable reports whether files of the format are rows of cells, such as CSV.
func (f Format) IsTable() bool { return f.info().table }

// CanWrite reports whether [Write] writes the format to files of this name. A file of FormatPGSM
// is mapped into memory, so that its name must not end in .gz.
func (f Format) CanWrite(path string) bool {
	info, plain := f.info(), strings.TrimSuffix(path, ".gz")
	return info.write != nil && !slices.Contains(info.only, filepath.Ext(plain)) &&
		!(info.mapped && plain != path)
}

// Write writes a set in the given format: see [WriteSvmlight], [WriteCSV], [WriteNPY] and
// [WritePGSM], for which w has to be an [io.WriterAt].
func Write(w io.Writer, format Format, s *Set) error {
	if write := format.info().write; write != nil {
		return write(w, s)
	}
	return fmt.Errorf("dataset: the format %s is only read, not written", format)
}

// FormatOf returns the format of a file of this name by its ending, which .gz may follow:
// FormatSvmlight for "-", FormatIDX for images,labels, FormatAuto if the name does not tell.
func FormatOf(path string) Format {
	if path == "-" {
		return FormatSvmlight
	}
	if isIDXPair(path) {
		return FormatIDX
	}
	ending := filepath.Ext(strings.TrimSuffix(path, ".gz"))
	for _, info := range formats {
		if slices.Contains(info.endings, ending) || slices.Contains(info.only, ending) {
			return info.name
		}
	}
	return FormatAuto
}

// isPair reports whether path is two names, separated by a comma, that both satisfy is.
func isPair(path string, is func(name string) bool) bool {
	a, b, ok := strings.Cut(path, ",")
	return ok && is(a) && is(b)
}

func isNPYPair(path string) bool {
	return isPair(path, func(name string) bool {
		return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".npy")
	})
}

func isIDXPair(path string) bool {
	return isPair(path, func(name string) bool {
		name = filepath.Base(name)
		return strings.Contains(name, "idx") && strings.Contains(name, "ubyte")
	})
}
