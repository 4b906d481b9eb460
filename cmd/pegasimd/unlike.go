package main

import (
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/tables"
)

// This file raises doubts about data to predict that are unlike the training data. They are printed
// even if -quiet is given, because the predictions are then hardly worth more than guesses.

// doubtLoudly adds a doubt that is printed even if -quiet is given.
func (d *dataReader) doubtLoudly(doubt dataset.Doubt) {
	d.doubts = append(d.doubts, doubt)
	d.call.loud = append(d.call.loud, doubt.String())
}

// doubtUnread adds a doubt about each column of which at least half of the cells do not fit.
func (d *dataReader) doubtUnread() {
	coder, encodes := d.opt.Encoder.(*tables.Coder)
	if !encodes {
		return
	}
	d.unread = coder.Unread()
	for _, line := range d.unread {
		d.doubtLoudly(dataset.Doubt{About: "column", Text: line + ", at least half of the cells " +
			"with a value: write the column as in the training data"})
	}
}
