package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Read reads a file. Unless opt.Format says it, the name tells the format, with or without .gz after it:
//
//	.svm .libsvm .svmlight .txt    svmlight
//	.csv .tsv                      CSV, TSV
//	images,labels                  IDX, if both names have "idx" and "ubyte" in them
//	-                              standard input, svmlight
//
// What starts as a gzip file does is decompressed, whatever its name. A file of several gzip members is read whole;
// one that is cut off, has a wrong checksum or something else after its end is an error.
func Read(path string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if opt.Format == FormatAuto {
		if opt.Format = formatOf(path); opt.Format == FormatAuto {
			return nil, fmt.Errorf("%s: the name does not tell the format: want .svm, .csv, .tsv, an IDX pair or the format option", path)
		}
	}
	names := []string{path}
	if opt.Format == FormatIDX {
		images, labels, ok := strings.Cut(path, ",")
		if !ok {
			return nil, fmt.Errorf("%s: want two names, images,labels", path)
		}
		names = []string{images, labels}
	}

	in := input{opt: opt}
	defer in.close()
	for _, name := range names {
		if err := in.open(name); err != nil {
			return nil, err
		}
	}
	readers, err := in.readers()
	if err != nil {
		return nil, err
	}
	if path == "-" {
		path = "stdin"
	}
	switch opt.Format {
	case FormatSvmlight:
		return readSvmlight(readers[0], path, opt, chunkSize)
	case FormatIDX:
		return readIDX(readers[0], readers[1], names[0], names[1], opt)
	case FormatTSV:
		return readCSV(readers[0], path, '\t', opt)
	default:
		return readCSV(readers[0], path, ',', opt)
	}
}

// formatOf returns the format of a file of this name, FormatAuto if the name does not tell.
func formatOf(path string) Format {
	if path == "-" {
		return FormatSvmlight
	}
	if images, labels, ok := strings.Cut(path, ","); ok && isIDX(images) && isIDX(labels) {
		return FormatIDX
	}
	switch filepath.Ext(strings.TrimSuffix(path, ".gz")) {
	case ".svm", ".libsvm", ".svmlight", ".txt":
		return FormatSvmlight
	case ".csv":
		return FormatCSV
	case ".tsv":
		return FormatTSV
	}
	return FormatAuto
}

func isIDX(path string) bool {
	name := filepath.Base(path)
	return strings.Contains(name, "idx") && strings.Contains(name, "ubyte")
}

// input is the files of one Read.
type input struct {
	opt   Options
	files []*os.File
	names []string
	total int64 // bytes in them, 0 if that isn't known
}

func (in *input) open(name string) error {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return err
		}
	}
	in.files = append(in.files, f)
	in.names = append(in.names, name)
	return nil
}

func (in *input) close() {
	for _, f := range in.files {
		if f != os.Stdin {
			f.Close() // it was only read
		}
	}
}

// readers returns what the files hold, decompressed.
func (in *input) readers() ([]io.Reader, error) {
	for _, f := range in.files {
		info, err := f.Stat()
		if err != nil || !info.Mode().IsRegular() {
			in.total = 0
			break
		}
		in.total += info.Size()
	}
	m := newMeter(in.opt, in.total)
	var readers []io.Reader
	for i, f := range in.files {
		r, err := decompress(m.reader(f), strings.HasSuffix(in.names[i], ".gz"))
		if err != nil {
			return nil, fail(in.names[i], err)
		}
		readers = append(readers, limit(r, in.opt.MaxBytes))
	}
	return readers, nil
}

// decompress returns a reader of what r holds in gzip form, or of r itself if it holds something else. must says that it
// should be gzip.
func decompress(r io.Reader, must bool) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !must && !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // an empty file is no gzip file
	}
	if err != nil {
		return nil, err
	}
	return z, nil
}
