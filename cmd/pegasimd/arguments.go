package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/sys/files"
)

// parse parses the command line. In usage, brackets mark an optional argument, and "..." marks one
// or more data files. Of the data files, parse returns only the first, and stores the others in
// c.more.
func (c *call) parse(args []string, usage string) (arguments []string, err error) {
	if c.args, err = c.flags.Parse(args); err != nil {
		return nil, err
	}
	words := strings.Fields(usage)
	list := slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, "...") })
	n, most := len(c.args), len(words)
	switch {
	case n < most-strings.Count(usage, "["):
		if file := c.flags.JSON; file != "" && file != "-" {
			usage += fmt.Sprintf("; %s is the file of -json (-json - writes to standard output)",
				escape.Name(file))
		}
		return nil, flags.Usagef("too few arguments: want %s", usage)
	case n > most && list < 0:
		return nil, flags.Usagef("too many arguments, from %q on: want %s", c.args[most],
			cmp.Or(usage, "none"))
	case slices.Contains(c.args, ""):
		return nil, flags.Usagef("an argument is empty: want %s", usage)
	}
	more := 0
	if list >= 0 {
		after, err := c.afterData(words[list+1:], c.args[list:])
		if err != nil {
			return nil, err
		}
		more = n - list - 1 - after
		c.more = c.args[list+1:][:more]
		if err := checkList(c.args[list:][:1+more]); err != nil {
			return nil, err
		}
	}
	for i := range c.args {
		if list >= 0 && i > list {
			i = max(list, i-more)
		}
		c.roles = append(c.roles, strings.TrimSuffix(strings.Trim(words[i], "[]"), "..."))
	}
	if more == 0 {
		return c.args, nil
	}
	return slices.Delete(slices.Clone(c.args), list+1, list+1+more), nil
}

// afterData returns the number of arguments after the data files. words is the usage after DATA...;
// args begins with the first data file.
func (c *call) afterData(words, args []string) (int, error) {
	last, before := args[len(args)-1], args[max(len(args)-2, 0)]
	switch strings.Join(words, " ") {
	case "":
		return 0, nil
	case "MODEL", "OUT":
		return 1, nil
	case "MODEL [OUT]":
		switch n := len(args); {
		case n == 2 || isModelName(last):
			return 1, nil
		case n == 3 || isModelName(before):
			return 2, nil
		}
		return 0, flags.Usagef("neither %s nor %s ends in .model: after several DATA, the name of MODEL "+
			"has to end so", before, last)
	case "[MODEL]":
		switch {
		case c.flags.Model != "" && isModelName(last):
			return 0, flags.Usagef("-model %s is given, and %s is a model by its ending: want one model",
				c.flags.Model, last)
		case c.flags.Model != "":
			return 0, nil
		}
		return c.outputAfter(args, "MODEL ends in .model or is given by -model",
			last == "-" || isModelName(last))
	}
	return c.outputAfter(args, "OUT ends in .html or .htm",
		last == "-" || slices.Contains([]string{".html", ".htm"}, files.Ending(last)))
}

// outputAfter returns 1 if the last argument is an output, or 0 if it is data. named reports
// whether its name is like an output's; want says how such names end.
func (c *call) outputAfter(args []string, want string, named bool) (int, error) {
	last := args[len(args)-1]
	noData := c.flags.Data.Format == dataset.FormatAuto &&
		dataset.FormatOf(last) == dataset.FormatAuto
	switch {
	case len(args) == 1:
		return 0, nil
	case named || len(args) == 2 && (noData || args[0] == "-"):
		return 1, nil
	case noData:
		return 0, flags.Usagef("%s has no known ending: give -format if it is data; after several "+
			"DATA, %s", last, want)
	}
	return 0, nil
}

// trainArguments returns the arguments of train, with -model if it was given or the model's name
// does not end in .model. As a last argument, such a name may be data if -format is given.
func (c *call) trainArguments() []string {
	last := len(c.args) - 1
	switch name := c.args[last]; {
	case c.flags.Model != "" && c.flags.Command == "train":
		return append([]string{"-model", c.flags.Model}, c.args...)
	case c.roles[last] == "MODEL" && !isModelName(name) && name != "-":
		return append([]string{"-model", name}, c.args[:last]...)
	}
	return c.args
}

func (c *call) writesModel(name string) *output {
	what := "MODEL"
	if c.flags.Model != "" {
		what = "-model"
	}
	return c.writes(what, name, modelKind)
}

func isModelName(name string) bool { return files.Ending(name) == ".model" }

func checkList(names []string) error {
	if len(names) < 2 {
		return nil
	}
	var infos []os.FileInfo
	for i, name := range names {
		info, err := os.Stat(name)
		infos = append(infos, info)
		if name == "-" {
			return flags.Usagef("standard input can't be one of several files: save it to a file")
		}
		for k := range infos[:i] {
			if err == nil && infos[k] != nil && os.SameFile(info, infos[k]) {
				return flags.Usagef("%s and %s are the same file: give it once", names[k], name)
			}
		}
	}
	return nil
}

func (c *call) checkSettings() error {
	if err := c.applyPreset(); err != nil {
		return err
	}
	for _, f := range c.flags.Each() {
		switch kernel := c.flags.UsesKernel(); {
		case !kernel && f.Is(flags.KernelOnly):
			return flags.Usagef("-%s needs -kernel", f.Name)
		case kernel && f.Is(flags.NoKernel):
			return flags.Usagef("-%s can't be given with -kernel", f.Name)
		}
	}
	return nil
}

func (c *call) applyPreset() error {
	switch c.flags.Preset {
	case "":
		return nil
	case "paper":
	default:
		return flags.Usagef("-preset: have %q, want paper", c.flags.Preset)
	}
	instead := map[string]string{"lambda": "c", "epochs": "steps"}
	for choice := range slices.Chunk(strings.Fields(flags.Paper), 2) {
		if name := choice[0][1:]; !c.flags.Given(instead[name]) {
			if err := c.flags.SetDefault(name, choice[1]); err != nil {
				return err
			}
		}
	}
	return nil
}
