// Package cell recognizes what a single cell of a table contains, without looking at other cells: a
// gap, a number (with thousands separators, a currency, percent or a unit), or a date. Package form
// uses it to find the separator and the header of a file, package tables to find the kinds of the
// columns, and package dataset to parse the numbers of tables and of svmlight text.
//
// No parser allocates memory for usual cells, and none panics, whatever the bytes of a cell. Cells
// must not have leading or trailing blanks.
package cell
