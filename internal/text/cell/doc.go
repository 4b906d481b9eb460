// Package cell recognizes what a single cell of a table contains, without the other cells of its
// column: a gap, a number (with thousands separators, a currency, percent or a unit), or a date.
// Package form uses it to find the separator and the header of a file, package tables to find the
// kinds of the columns, and package dataset to parse labels and svmlight files.
//
// No function allocates for the usual cells, and none panics, whatever the bytes of the cell. All
// expect cells without leading and trailing blanks.
package cell
