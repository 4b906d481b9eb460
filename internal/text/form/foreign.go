package form

import (
	"bytes"
	"unicode/utf8"
)

type fileKind struct {
	magic  string
	text   bool // text may begin with magic: require invalid UTF-8 or a zero byte
	what   string
	advice string
}

const office = "make a CSV file of its first sheet, with LibreOffice for instance: " +
	"soffice --headless --convert-to csv FILE"

var fileKinds = []fileKind{
	{"PAR1", true, "a Parquet file", withPandas("parquet")},
	{"ARROW1", true, "an Arrow (Feather) file", withPandas("feather")},
	{"FEA1", true, "a Feather file", withPandas("feather")},
	{"ORC", true, "an ORC file", withPandas("orc")},
	{"\x89HDF\r\n\x1a\n", false, "an HDF5 file",
		"make a CSV file of one of its tables, with h5py or pandas for instance"},
	{"Obj\x01", false, "an Avro file", "make a CSV file of it, with DuckDB for instance: duckdb -c " +
		`"install avro; load avro; copy (from read_avro('FILE')) to 'FILE.csv'"`},
	{"SQLite format 3\x00", false, "a SQLite database", "make a CSV file of one of its tables: " +
		`sqlite3 -header -csv FILE "select * from TABLE" > FILE.csv`},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", false, "a compound file, such as an Excel workbook (.xls)",
		"if it is a workbook, unpack it if it is compressed, and " + office},
	{"BZh", true, "compressed by bzip2", "unpack it: bunzip2 < FILE > NEWFILE"},
	{"\xfd7zXZ\x00", false, "compressed by xz", "unpack it: xz -d < FILE > NEWFILE"},
	{"\x28\xb5\x2f\xfd", false, "compressed by zstd", "unpack it: zstd -d < FILE > NEWFILE"},
	{"\x04\x22\x4d\x18", false, "compressed by lz4", "unpack it: lz4 -d < FILE > NEWFILE"},
	{"\x1f\x9d", false, "compressed by compress (.Z)", "unpack it: gzip -d < FILE > NEWFILE"},
	{"7z\xbc\xaf\x27\x1c", false, "a 7z archive", "unpack it: 7z x FILE"},
	{"Rar!\x1a\x07", false, "a RAR archive", "unpack it: unrar x FILE"},
	{"%PDF-", false, "a PDF document", "make a CSV file of its table, with tabula for instance"},
	{"{\\rtf", false, "an RTF document", "save its table as CSV"},
}

func withPandas(kind string) string {
	return `make a CSV file of it, with pandas for instance: python3 -c "import pandas; pandas.read_` +
		kind + `('FILE').to_csv('FILE.csv', index=False)"`
}

// ForeignKind recognizes a file that is not a table in text form by head, its first few kilobytes.
// It returns the kind of file, and advice on how to make a readable file of FILE; both are empty
// for other files.
func ForeignKind(head []byte) (what, advice string) {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return zipKind(head)
	case bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return "an empty zip archive", "there is no file in it"
	}
	text := bytes.IndexByte(head, 0) < 0 && utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)])
	for _, k := range fileKinds {
		if bytes.HasPrefix(head, []byte(k.magic)) && !(k.text && text) {
			return k.what, k.advice
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "a tar archive", "unpack it: tar xf FILE"
	}
	if array := bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf"); text && bytes.HasPrefix(array, []byte("[")) &&
		bytes.HasPrefix(bytes.TrimLeft(array[1:], " \t\r\n"), []byte("{")) {
		return "an array of JSON", "unpack it if it is compressed, and make lines of JSON " +
			"of it: jq -c '.[]' FILE > FILE.jsonl"
	}
	page := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<table", "<?xml"} {
		after, begins := bytes.CutPrefix(page, []byte(tag))
		if !begins || len(after) == 0 || bytes.IndexByte([]byte(" \t\r\n/>"), after[0]) < 0 {
			continue // "<tablename>" may be the name of a column
		}
		if tag == "<?xml" && !bytes.Contains(page, []byte("<html")) {
			return "an XML document", "make a CSV file of it, with pandas.read_xml for instance"
		}
		return "an HTML page", "it may be the page about the file in place of the file: download " +
			"the file itself, or save the page's table as CSV"
	}
	return "", ""
}

func zipKind(head []byte) (what, advice string) {
	has := func(name string) bool { return bytes.Contains(head, []byte(name)) }
	switch {
	case has("application/vnd.oasis.opendocument.spreadsheet"):
		return "an OpenDocument workbook", office
	case has("application/vnd.oasis.opendocument"):
		return "an OpenDocument file", "save its table as CSV"
	case has("xl/"):
		return "an Excel workbook (.xlsx)", office
	case has("[Content_Types].xml"):
		return "an Office file (.xlsx, .docx or the like)", "save its table as CSV"
	}
	return "a zip archive", "unpack it: unzip FILE"
}
