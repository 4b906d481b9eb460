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
	from, err := sourcesOf(path, opt)
	if err != nil {
		return nil, err
	}
	defer from.close()
	if format, _ := opt.formatOf(path); !format.IsTable() {
		return nil, fmt.Errorf("%s: want a table", path)
	}
	t := &tableFile{name: path, opt: opt}
	err = t.scan(from, each)
	if t.rows != nil && t.rows.Reader != nil {
		names = t.rows.Names()
	}
	return names, err
}
