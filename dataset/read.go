package dataset

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// Read reads a file. If opt.Format does not give the format, the name's ending does; .gz, .bz2 or
// .zst may follow it:
//
//	.svm .libsvm .svmlight .txt    svmlight
//	.csv .psv .tsv .tab            tables: the separator of the cells is detected
//	.jsonl .ndjson                 a flat JSON object per line, whose fields are columns
//	.npy                           NumPy's array, with the labels in a column
//	values.npy,labels.npy          two of NumPy's arrays
//	images,labels                  IDX, if both names contain "idx" and "ubyte"
//	.pgsm                          this package's binary format, never compressed: see WritePGSM
//	-                              standard input, svmlight
//
// The features in a table must be numbers, unless Options.Encoder encodes the cells. For columns of
// words, texts or dates see package github.com/pegasimd/pegasimd/pegasos/table.
//
// A file that starts with the magic bytes of gzip, or of one of Options.Decompressors, is
// decompressed, whatever its name. A gzip file may have several members. A gzip file that is cut
// off, has a wrong checksum or is followed by other data is an error.
func Read(path string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := opt.checkForeign(path); err != nil {
		return nil, err
	}
	if len(opt.More) > 0 {
		return readSeveral(path, opt)
	}
	if opt.Format, err = opt.formatOf(path); err != nil {
		return nil, err
	}
	if opt.Format.info().mapped {
		if path == "-" {
			return nil, fmt.Errorf("the pgsm format can't be read from standard input: give the name of the file")
		}
		return readPGSM(path, opt)
	}
	names, err := fileNames(path, opt.Format)
	if err != nil {
		return nil, err
	}
	in := input{opt: opt}
	defer in.close()
	for _, name := range names {
		if err := in.open(name); err != nil {
			return nil, err
		}
	}
	return in.read()
}

func (o Options) formatOf(path string) (Format, error) {
	format := o.Format
	if format == FormatAuto {
		format = FormatOf(path)
	}
	if format == FormatAuto {
		return "", fmt.Errorf("%s: the name does not tell the format: want .svm, .csv, .tsv, .jsonl, "+
			".npy, .pgsm, an IDX pair, or the format's name (-format)", path)
	}
	return format, nil
}

// ReadFrom reads svmlight text, a table or one .npy array from r, and decompresses the data as Read
// does. Errors about the data contain name. If opt.Format does not give the format, the ending of
// name does.
func ReadFrom(r io.Reader, name string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if opt.Format == FormatAuto {
		opt.Format = FormatOf(name)
	}
	if len(opt.More) > 0 {
		return nil, fmt.Errorf("%s: want one file, but Options.More has %d", name, len(opt.More))
	}
	if info := opt.Format.info(); opt.Format != FormatAuto && !info.mapped && !info.bothNeeded {
		in := input{opt: opt, files: []*os.File{nil}, raw: []io.Reader{r}, names: []string{name}}
		defer in.close()
		return in.read()
	}
	return nil, fmt.Errorf("%s: want the format svmlight, csv, tsv, lines, jsonl or npy", name)
}

func (in *input) read() (*Set, error) {
	files, err := in.readers()
	if err != nil {
		return nil, err
	}
	f, opt := files[0], in.opt
	switch {
	case opt.Format.IsTable():
		return readTable(oneFile(f, opt), opt)
	case opt.Format == FormatIDX:
		return readIDX(f, files[1], opt)
	case opt.Format == FormatSvmlight:
		return readSvmlight(oneFile(f, opt), opt, chunkSize)
	case len(files) > 1:
		return readNPY(f, &files[1], opt)
	}
	return readNPY(f, nil, opt)
}

// checkForeign returns an error for a file in a known but unsupported format, such as a workbook,
// unless the file begins with the Magic of one of Options.Decompressors.
func (o Options) checkForeign(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil // reading or just opening a pipe here could lose its data
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	for _, d := range o.Decompressors {
		if strings.HasPrefix(string(head[:n]), d.Magic) {
			return nil
		}
	}
	if what, advice := form.ForeignKind(head[:n]); what != "" {
		return fmt.Errorf("%s: this is %s: %s", path, what, advice)
	}
	return nil
}

func fileNames(path string, format Format) ([]string, error) {
	info := format.info()
	values, labels, pair := strings.Cut(path, ",")
	switch {
	case info.bothNeeded && !pair:
		return nil, fmt.Errorf("%s: want two file names with a comma between them: images,labels", path)
	case info.bothNeeded || info.isPair != nil && info.isPair(path):
		return []string{values, labels}, nil
	}
	return []string{path}, nil
}

// An openFile is an open file of any format but .pgsm.
type openFile struct {
	r    io.Reader   // reads the file, decompressed
	at   io.ReaderAt // reads the data of r from any position; may be nil
	name string
	size int64 // size of the data in bytes, or -1 if unknown

	regular bool
}

type input struct {
	opt   Options
	files []*os.File  // nil for a reader such as Options.Stdin
	raw   []io.Reader // contents before decompression
	names []string
	stops []func()
}

func (in *input) open(name string) error {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return err
		}
	} else {
		name = "stdin"
	}
	var r io.Reader = f
	if f == os.Stdin && in.opt.Stdin != nil {
		f, r = nil, in.opt.Stdin
	}
	in.files = append(in.files, f)
	in.raw = append(in.raw, r)
	in.names = append(in.names, name)
	return nil
}

func (in *input) close() {
	for _, stop := range in.stops {
		stop()
	}
	for _, f := range in.files {
		if f != nil && f != os.Stdin {
			f.Close()
		}
	}
}

func (in *input) size() (total int64) {
	for _, f := range in.files {
		size, ok := sizeOf(f)
		if !ok {
			return 0
		}
		total += size
	}
	return total
}

func sizeOf(f *os.File) (int64, bool) {
	if f == nil {
		return 0, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

func (in *input) readers() ([]openFile, error) {
	m := in.opt.meter
	if m == nil {
		m = newMeter(in.opt, in.size())
	}
	var all []openFile
	for i, f := range in.files {
		name := in.names[i]
		r, packed, err := files.Unpack(&metered{m, in.raw[i]}, name, in.opt.Decompressors...)
		if err != nil {
			return nil, fail(name, err)
		}
		size, regular := sizeOf(f)
		z, closes := r.(io.Closer)
		if packed && regular && in.opt.Threads > 1 {
			var stop func()
			r, stop = files.Ahead(r)
			in.stops = append(in.stops, stop)
		}
		if closes {
			in.stops = append(in.stops, func() { z.Close() })
		}
		from := openFile{r: in.opt.limit(r), name: name, size: -1, regular: regular}
		if regular && !packed && in.opt.MaxBytes == 0 { // MaxBytes may end the reading earlier
			from.at, from.size = f, size
		}
		all = append(all, from)
	}
	return all, nil
}
