package main

var inspectCommand = command{
	name:      "inspect",
	arguments: "MODEL|DATA",
	summary:   "print what is in a model or a data file",
	help: `Inspect checks a model, and prints its classes and sizes, how it was trained, and the weights
of each class that matter most: by weight x the spread of the column, which the model's scaling
knows; of one-vs-one the means of their absolute values over the pairs. Positive weights speak for
the class, or for the second of two classes.

Or it reads data and prints their size, the labels, and of each feature the range and how many zeros
there are. It checks all of a .pgsm file, its checksums too.

Examples:
  pegasimd inspect a9a.model
  pegasimd inspect -top 3 -json - digits.model
  pegasimd inspect a9a.svm.gz
  pegasimd inspect train.pgsm`,
	common: "top json " + usualDataFlags,
	flags:  func() commandFlags { return new(inspectFlags) },
}

func (f *inspectFlags) run(c *call, args []string) error {
	jsonOut := c.writes("-json", f.json, reportKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	model, err := holdsModel(args[0], &f.data)
	if err != nil {
		return err
	}
	if model {
		return inspectModel(c, f, args[0], jsonOut)
	}
	return inspectData(c, f, args[0], jsonOut)
}
