// Package table trains models on tables with words, texts, dates and gaps beside numbers, and
// predicts rows of cells. A [Model] is an encoder, fitted to the cells of the training rows, and a
// model trained on the encoder's features.
//
//	m, err := table.Train(ctx, names, rows, "fruit", pegasos.Config{})
//	cells, err := m.Order(map[string]string{"colour": "red", "grams": "170", "origin": "Peru"})
//	fruit, err := m.Predict(cells)
//
// # Kinds of columns
//
// The kind of a column is the first in this list that fits the column's cells, apart from the
// exceptions below. Shares of the cells refer to cells that are not gaps (see below).
//
//	left out   no cell has a value, or all rows have the same value
//	category   all cells with a value have the same value, and the others are gaps
//	number     at least nine in ten cells are numbers; or at most 3 different words stand among
//	           more than 10 different numbers
//	date       the rule for numbers holds for dates, or for times, in one form or several
//	text       more than half of at least 20 cells are different, and the average cell has three
//	           blanks; or 40 bytes and a blank; or 8 characters of a script without blanks
//	left out   fewer than a quarter of at least 20 cells repeat in the column, as with names; and
//	           at most one row in a hundred has a gap, or more cells differ than are counted
//	category   any other column
//
// Numbers may have thousands separators, a decimal comma, a currency, a percent sign, brackets for
// a minus, or a unit. Decimal points and commas are told apart by a cell that is a number with only
// one of these marks; without such a cell the other columns decide.
//
// The cells of a column of numbers are words after all:
//
//   - if more than a tenth of the numbers have another unit than the most frequent one;
//   - if there are at most 10 different numbers, and a word with a digit, such as 12A, is in
//     several cells;
//   - if they are grades such as 1+, 1 and 1-: numbers with a plus after them occur, and the same
//     numbers without the plus, or numbers with a minus after them;
//   - if numbers have leading zeros, as ZIP codes do, and they are most of the numbers, or all
//     numbers have equally many digits, or no number has fewer digits;
//   - if float64 cannot tell numbers apart, such as codes of 17 digits that differ in the last.
//
// Whole numbers that only tell rows apart are left out if they all differ, no words stand among
// them, and one of these conditions holds:
//
//   - there are 20 or more, they grow from row to row, and their range is less than twice their
//     number;
//   - the column is called id, index or the like, or has no name;
//   - there are 20 or more, all of the same number of digits, 6 or more, and not all are dates such
//     as 20180427.
//
// If no column has features, columns of names become text; without columns of names, the columns of
// such whole numbers are kept.
//
// Dates may be written in any usual form. In dates such as 3/4/2018 the first number may be the day
// or the month. A cell with a day above 12 must show which, and few cells may show the other order;
// else the cells are words. 19-11-03 begins with the day.
//
// # Features
//
// [docs/spec.md] specifies the features of a cell; here is what training decides.
//
// An empty cell, ?, NA, N/A, NaN, null and the like are gaps in any column. Words such as unknown,
// none, - and #REF! are gaps among numbers and dates, as is any cell that is not a number or date,
// also in prediction.
//
// If all columns are of plain numbers without gaps, the features are these numbers, even of columns
// with a single value. There are two exceptions: a column is left out or taken for words by the
// rules for codes and for numbers that tell rows apart; or, in a column whose range is less than
// 1/4096 of its largest magnitude, different numbers become the same float32, as with times such as
// 1700000001.
//
// In any other table a number v becomes (v - mean)/deviation, or v/deviation if three quarters of
// the numbers are 0 and at most half of the rows have a gap. A gap counts as the mean. If more than
// one row in a hundred has a gap, an additional feature marks these rows. A date is encoded as a
// number of days, and has a feature for each month and each weekday. There are no features for
// weekdays if all dates are on the same day of the month or one date lacks the day, and then none
// for months if all dates are in the same month. Times of the day have neither.
//
// A category has a feature for each level, and a feature for gaps if a training row has a gap. A
// level of one training row has no feature if fewer than a quarter of the cells repeat or there are
// more than 4,096 levels. Two levels without rarer levels beside them share a feature. True and
// TRUE count as true, False and FALSE as false; other levels keep their case. If more than 4,096
// levels would have a feature, or more cells differ than are counted, the levels are hashed, as
// they are spelled, to 4,096 features.
//
// The n-grams of one and of two words of a text are hashed to 2^20 buckets. A bucket has a feature,
// with a tf-idf value, if a training row has an n-gram in it. If more than 131,072 buckets are in
// use, a feature needs two such rows. The values of a cell are scaled to the same Euclidean length
// in all rows: the root mean square length of the features of all columns that are not text, or 1
// if that is less.
//
// In tables with text, the features of other columns without an apparent linear relation to the
// label are multiplied by 1/64.
//
// [docs/spec.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/spec.md#tables
package table
