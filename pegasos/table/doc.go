// Package table trains models on tables as people have them, with words, texts, dates, gaps and
// names beside numbers, and predicts rows of cells. An encoder is fitted to the cells of the
// training rows and encodes cells as features; a [Model] is an encoder and the model that was
// trained on its features.
//
//	m, err := table.Train(ctx, names, rows, "fruit", pegasos.Config{})
//	cells, err := m.Order(map[string]string{"colour": "red", "grams": "170", "origin": "Peru"})
//	fruit, err := m.Predict(cells)
//
// # Kinds of columns
//
// The kind of a column depends on its cells alone. It is the first of these that fits:
//
//	left out   no cell has a value, or all have the same
//	number     nine in ten cells are numbers; or six in ten, if at most 3 different words interrupt
//	           more than 10 different numbers
//	date       as many cells are dates, or times, in one form or several
//	text       more than half of at least 20 cells are different, and a cell has in the mean three
//	           blanks; or 40 bytes and a blank; or 8 characters of a script without blanks
//	left out   fewer than a quarter of at least 20 cells have a word that comes again, as with names,
//	           and at most one row in a hundred has a gap
//	category   any other column
//
// Numbers may have thousands separators, a decimal comma, a currency, a percent sign, brackets for
// a minus, or a unit. A cell that is a number under one decimal mark alone decides between point
// and comma. Nine in ten of the numbers have to have the same unit, or none.
//
// Dates may be written in any usual form. If the day might be the month, some cell with a number
// above 12 has to decide for the column; else its cells are words.
//
// Digits with leading zeros, such as ZIP codes, are words if they are most of the numbers, or if
// all cells are digits of equal length. Whole numbers that only tell rows apart are left out: those
// that grow from row to row, in 20 rows or more, and whose range is less than twice the number of
// rows; those that all differ in a column that is called id, index or the like, or has no name; and
// those that all differ, in 20 rows or more, and have the same number of digits, 6 or more. If
// there are no other columns they are kept, and columns of names become text.
//
// # Features
//
// An empty cell, ?, NA, N/A, NaN and null are gaps in any column; words such as unknown, none, -
// and #REF! are gaps among numbers and dates. So is any other cell that does not fit its column,
// also in prediction.
//
// If all columns are of plain numbers without gaps, the features are these numbers. In any other
// table a number v becomes (v - mean)/deviation, or v/deviation if three quarters of the numbers
// are 0. A gap becomes the mean, and if more than one row in a hundred has one, a feature of its
// own is 1 there; if gaps are more than half, it is 1 where there is a value. A date is a number of
// days, and has a feature for each month and each weekday: none for weekdays if all dates are on
// the same day of the month or have no day, and none for months either if they are of one month.
//
// A category has a feature for each level, which is 1 in its rows. Levels of one row have none
// where fewer than a quarter of the cells come again or there are more than 4,096 levels, and
// levels that training lacked have none. If there are two levels and no rarer ones they share a
// feature, which is 1 for the level of fewer rows, -1 for the other, and 0 for a gap or an unknown
// word. A gap is a level. True and TRUE count as true, False and FALSE as false; other levels keep
// their case. More than 4,096 levels of two rows or more are hashed, as they are spelled, to as
// many features: by the top 12 bits of 64-bit FNV-1a.
//
// The words of a text are made of letters, marks and numbers of Unicode 15, in lower case; each
// character of Chinese, Japanese kana, Thai, Lao, Khmer and Burmese is a word. The n-grams of a
// text, of one word and of two, are hashed to 2^20 buckets, of which those have a feature that a
// row falls into, or two rows or more if more than 131,072 are not empty. The value of an n-gram
// that a cell has n times, and d of N rows have, is (1 + log n) (1 + log((1+N)/(1+d))). The values
// of a cell are scaled to one Euclidean length in all rows: the root mean square of the length of
// the features of the columns that are not text, or 1 if that is less.
package table
