// Package tables has the encoders of tables with words, texts, dates, gaps and names. Package
// pegasos/table has the rules that they go by. A [Fitter] makes an [Encoder] of the cells of
// training rows, a [Coder] makes features of cells by it, and a [Namer] finds the n-grams behind
// features.
package tables
