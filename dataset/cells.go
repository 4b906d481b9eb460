package dataset

import "fmt"

// ReadCells calls each with the text of every row of a table, without blanks around the cells, in
// the order of the file. With the same options, row i is row i of [Read], rows of Set.LeftOut
// included. The cells are valid until each returns. A row of JSON lines has a cell for each field
// so far. An error of each ends the reading, and is returned with the file's name. names are the
// names of the columns that were read, nil without a header.
func ReadCells(path string, opt Options, each func(cells []string) error) (
	names []string, err error,
) {
	if opt, err = opt.filled(); err != nil {
		return nil, err
	}
	if opt.Format == FormatAuto {
		opt.Format = FormatOf(path)
	}
	if !opt.Format.IsTable() {
		return nil, fmt.Errorf("%s: want a table", path)
	}
	err = opt.withFile(path, func(from arrayFile) error {
		t := &tableFile{name: from.name, opt: opt}
		err := t.scan(from, opt.Format, each)
		if t.rows != nil {
			names = t.rows.Names()
		}
		return err
	})
	return names, err
}
