package main

var inspectCommand = command{
	name:      "inspect",
	arguments: "MODEL|DATA",
	summary:   "print what is in a model or a data file",
	help: `Inspect reads a model, checks it, and prints its classes and sizes, how it was trained,
and the largest weights of each class: positive ones speak for the class, of two classes for the
second. Features have the numbers of the data's file.

Or it reads data and prints how many rows, features and nonzeros there are, how often each label is
there, and how long the rows are. It warns of features on different scales and of long rows, which
training gets on with badly where it does not scale them by itself (see train). With -verify it
checks all of a .pgsm file, its checksums too, and fails if it is damaged.

Examples:
  pegasimd inspect a9a.model
  pegasimd inspect -top 3 -json - digits.model
  pegasimd inspect a9a.svm.gz
  pegasimd inspect -verify train.pgsm`,
	flags: func() flagGroup { return new(inspectFlags) },
	run:   inspect,
}

func inspect(c *call) error {
	var f inspectFlags
	args, err := c.parse(&f, 1, 1)
	if err != nil {
		return err
	}
	c.reads("DATA", args[0])
	jsonOut := c.writes("-json", f.json, reportKind)
	if err := c.openOutputs(f.data.force); err != nil {
		return err
	}
	model, err := holdsModel(args[0], &f.data)
	if err != nil {
		return err
	}
	if model {
		return inspectModel(c, &f, args[0], jsonOut)
	}
	return inspectData(c, &f, args[0], jsonOut)
}
