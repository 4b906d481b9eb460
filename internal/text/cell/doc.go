// Package cell recognizes what a single cell of a table contains: a gap, a number (with thousands
// separators, a currency, percent or a unit), or a date. It does not look at other cells. Cells
// must not have leading or trailing blanks.
package cell
