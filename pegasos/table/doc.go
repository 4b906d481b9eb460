// Package table takes tables as people have them, with words, texts, dates, gaps and names, to rows
// of numbers and back to predictions. An encoder is fitted on the cells of training rows and makes
// features of cells; a [Model] is an encoder with what was trained on its rows.
//
//	m, err := table.Train(ctx, names, rows, "fruit", pegasos.Config{})
//	cells, err := m.Order(map[string]string{"colour": "red", "grams": "170", "origin": "Peru"})
//	fruit, err := m.Predict(cells)
//
// The kind of a column comes from its cells alone, by the first of these that fits:
//
//	left out   no cell has a value, or all have the same; whole numbers, each in one of 20 rows or
//	           more, that ascend, or leave out less than half of those between the least and the
//	           largest, or all have as many digits, 6 or more
//	number     all cells are numbers, or nine in ten, and the others are up to 3 different words,
//	           which count as gaps
//	date       all cells are dates, or dates and times, as ISO 8601 has them
//	text       more than half as many different cells as rows, of which there are 20 or more, and
//	           three blanks or more in the mean cell
//	left out   fewer than a quarter of the cells, of which there are 20 or more, have a word that
//	           comes again, as names do, and no more than one row in a hundred has a gap
//	category   anything else
//
// An empty cell, ?, NA, N/A, NaN and null are gaps. A number v becomes (v - mean)/deviation, or
// v/deviation where three quarters of the cells are 0. A gap becomes the mean, and if more than one
// row in a hundred has one a feature of its own is 1 there. A date is a number of days, and has a
// feature for each month and each weekday, which is 1 on its own: none for weekdays if all dates
// are on the same day of the month, and none for months either if that is of one month.
//
// A category has a feature for each level of two rows or more, which is 1 in its rows. Rarer levels
// and those that training lacked have none. If there are two levels and no rarer ones they share a
// feature, which is 1 for the level of fewer rows, -1 for the other, and 0 for a gap or an unknown
// word. A gap is a level, and the only one of a column that would be left out for its names. True and
// TRUE count as true, False and FALSE as false; other levels keep their case. More than 4,096 levels
// are hashed, as they are spelled, to as many features: by the top 12 bits of 64-bit FNV-1a.
//
// The words of a text are made of letters, marks and numbers of Unicode 15, in lower case. Its
// n-grams, of one word and of two, are hashed to 2^20 buckets, of which those have a feature that
// two rows or more fall into. The value of an n-gram that a cell has n times, and d of N rows have,
// is (1 + log n) (1 + log((1+N)/(1+d))), and the values of a cell are divided by their Euclidean
// length.
package table
