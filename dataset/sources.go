package dataset

import (
	"fmt"
	"io"
	"os"
)

// sources opens the files of a set one after the other.
type sources struct {
	opt   Options
	names []string
	at    int       // index in names of the open file; -1 before the first
	in    input     // the file that next opened
	first *openFile // the only file, if the caller opened it
}

// oneFile returns the sources of the open file f, which the caller closes.
func oneFile(f openFile, opt Options) *sources {
	return &sources{opt: opt, names: []string{f.name}, at: -1, first: &f}
}

func sourcesOf(path string, opt Options) (*sources, error) {
	s := &sources{opt: opt, names: append([]string{path}, opt.More...), at: -1}
	if len(opt.More) == 0 {
		return s, nil
	}
	var kind, of string // kind and name of the first file
	var size int64      // total size in bytes; -1 if unknown
	for i, name := range s.names {
		format, err := opt.formatOf(name)
		if err != nil {
			return nil, err
		}
		switch is := kindOf(format); {
		case is == "":
			return nil, fmt.Errorf("%s: the format is %s, but several files can only be read together if "+
				"they are svmlight text or tables", name, format)
		case i > 0 && is != kind:
			return nil, fmt.Errorf("%s: %s, but %s is %s: want files of the same kind", name, is, of,
				kind)
		default:
			kind, of = is, s.names[0]
		}
		if err := opt.checkForeign(name); err != nil {
			return nil, err
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && size >= 0 {
			size += info.Size()
		} else {
			size = -1
		}
	}
	s.opt.meter = newMeter(opt, max(size, 0))
	return s, nil
}

func kindOf(format Format) string {
	switch {
	case format == FormatSvmlight:
		return "svmlight text"
	case format == FormatJSONL:
		return "lines of JSON"
	case format.IsTable():
		return "a table"
	}
	return ""
}

func (s *sources) format() Format {
	format, _ := s.opt.formatOf(s.name()) // "" if the name does not tell the format
	return format
}

// name returns the name of the open file. Before the first call of next, it returns the first
// file's name; after the end, the last file's.
func (s *sources) name() string { return s.names[max(s.at, 0)] }

func (s *sources) next() (openFile, error) {
	s.close()
	if s.at++; s.at == len(s.names) {
		s.at--
		return openFile{}, io.EOF
	}
	if s.first != nil {
		return *s.first, nil
	}
	s.in = input{opt: s.opt}
	if err := s.in.open(s.names[s.at]); err != nil {
		return openFile{}, err
	}
	f, err := s.in.readers()
	if err != nil {
		return openFile{}, err
	}
	return f[0], nil
}

func (s *sources) close() {
	s.in.close()
	s.in = input{}
}

func readSeveral(path string, opt Options) (*Set, error) {
	s, err := sourcesOf(path, opt)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if f, _ := opt.formatOf(path); f == FormatSvmlight {
		return readSvmlight(s, s.opt, chunkSize)
	}
	return readTable(s, s.opt)
}
