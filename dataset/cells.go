package dataset

import "fmt"

// ReadCells calls each with the cells of every row of a table, in the file's order and without
// white space around the cells. It returns the names of the columns, nil if they have none. The
// rows are those of [Read] with the same options, and also the rows in Set.LeftOut. The cells are
// valid until each returns. In lines of JSON, a row has a cell for each field that has appeared up
// to this row or in the beginning of a file. If each returns an error, ReadCells stops and wraps
// it.
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
	format, err := opt.formatOf(path)
	if err != nil {
		return nil, err
	}
	if !format.IsTable() {
		return nil, fmt.Errorf("%s: the format is %s, want a table", path, format)
	}
	t := &tableFile{name: path, opt: opt}
	err = t.scan(from, each)
	if t.rows != nil && t.rows.Reader != nil {
		names = t.rows.Names()
	}
	return names, err
}
