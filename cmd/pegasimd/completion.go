package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

var completionCommand = command{
	name:      "completion",
	arguments: "bash|zsh|fish",
	summary:   "print a script for a shell that completes commands and flags",
	help: `Completion prints a script for a shell, which then completes pegasimd's commands, flags, and what
flags can be set to.

Examples:
  source <(pegasimd completion bash)                             # in ~/.bashrc
  pegasimd completion zsh > ~/.zfunc/_pegasimd                   # a folder of fpath
  pegasimd completion fish > ~/.config/fish/completions/pegasimd.fish`,
	run: completion,
}

// noFlags are those of a command without any.
type noFlags struct{}

func (noFlags) define(*flag.FlagSet) {}

// shells are those that there is a script for.
var shells = []struct {
	name   string
	script func(w io.Writer, all []completed)
}{{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}}

// A completed command is what a script has of one.
type completed struct {
	name, summary string
	words         []string // that may follow it
	flags         []completedFlag
}

type completedFlag struct {
	name, does string
	choices    []string
	alone      bool // without a value
	file       bool
}

// flagGroups has the flags of each command.
func flagGroups() map[string]flagGroup {
	return map[string]flagGroup{
		"train": new(trainFlags), "cv": new(cvFlags), "predict": new(predictFlags),
		"eval": new(evalFlags), "verify": new(verifyFlags), "scale": new(scaleFlags),
		"inspect": new(inspectFlags), "convert": new(convertFlags), "version": new(versionFlags),
		"completion": noFlags{},
	}
}

func completion(c *call) error {
	args, err := c.parse(noFlags{}, 1, 1)
	if err != nil {
		return err
	}
	var names []string
	for _, shell := range shells {
		if shell.name == args[0] {
			shell.script(c.stdout, completedCommands())
			return nil
		}
		names = append(names, shell.name)
	}
	return usagef("there is no script for %q, only for %s%s", args[0], list(names),
		meant(args[0], "", names))
}

func completedCommands() (all []completed) {
	groups := flagGroups()
	for _, cmd := range commands {
		done := completed{name: cmd.name, summary: cmd.summary}
		if cmd.name == "completion" {
			done.words = choicesOf(cmd.arguments)
		}
		flags := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
		groups[cmd.name].define(flags)
		flags.VisitAll(func(f *flag.Flag) {
			takes, does := placeholderOf(f)
			does, _, _ = strings.Cut(does, ";")
			does, _, _ = strings.Cut(does, ":")
			does, _, _ = strings.Cut(does, " (")
			done.flags = append(done.flags, completedFlag{
				f.Name, strings.Map(plainLetter, does), choicesOf(takes), takes == "",
				takes == "file",
			})
		})
		all = append(all, done)
	}
	help := completed{name: "help", summary: "tell more of a command"}
	for _, cmd := range commands {
		help.words = append(help.words, cmd.name)
	}
	return append(all, help)
}

// plainLetter leaves out what a shell could take for its own.
func plainLetter(r rune) rune {
	if strings.ContainsRune("'\"\\[]$`|", r) {
		return -1
	}
	return r
}

func bashScript(w io.Writer, all []completed) {
	fmt.Fprint(w, `# Completes pegasimd's commands and flags in bash: source <(pegasimd completion bash)
_pegasimd() {
	local cur=${COMP_WORDS[COMP_CWORD]} words=
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="`)
	for _, cmd := range all {
		fmt.Fprintf(w, "%s ", cmd.name)
	}
	fmt.Fprint(w, `"
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in
`)
	for _, cmd := range all {
		for _, f := range cmd.flags {
			if f.choices != nil {
				fmt.Fprintf(w, "	\"%s -%s\") words=\"%s\" ;;\n", cmd.name, f.name,
					strings.Join(f.choices, " "))
			}
		}
	}
	fmt.Fprint(w, `	*)
		case "${COMP_WORDS[1]} $cur" in
`)
	for _, cmd := range all {
		if len(cmd.words) > 0 {
			fmt.Fprintf(w, "		\"%s \"*) words=\"%s\" ;;\n", cmd.name,
				strings.Join(cmd.words, " "))
			continue
		}
		fmt.Fprintf(w, "		\"%s -\"*) words=\"", cmd.name)
		for _, f := range cmd.flags {
			fmt.Fprintf(w, "-%s ", f.name)
		}
		fmt.Fprintln(w, "\" ;;")
	}
	fmt.Fprint(w, `		esac
		;;
	esac
	[ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$cur"))
	return 0
}
complete -o default -F _pegasimd pegasimd
`)
}

func zshScript(w io.Writer, all []completed) {
	fmt.Fprint(w, `#compdef pegasimd
# Completes pegasimd's commands and flags in zsh.
_pegasimd() {
	local -a commands=(
`)
	for _, cmd := range all {
		fmt.Fprintf(w, "		'%s:%s'\n", cmd.name, strings.Map(plainLetter, cmd.summary))
	}
	fmt.Fprint(w, `	)
	if (( CURRENT == 2 )); then
		_describe command commands
		return
	fi
	local command=$words[2]
	shift words
	(( CURRENT-- ))
	case $command in
`)
	for _, cmd := range all {
		fmt.Fprintf(w, "	%s)\n		_arguments \\\n", cmd.name)
		for _, f := range cmd.flags {
			value := ""
			switch {
			case f.choices != nil:
				value = ":choice:(" + strings.Join(f.choices, " ") + ")"
			case f.file:
				value = ":file:_files"
			case !f.alone:
				value = ":value:"
			}
			fmt.Fprintf(w, "			'-%s[%s]%s' \\\n", f.name, f.does, value)
		}
		rest := "_files"
		if cmd.words != nil {
			rest = "(" + strings.Join(cmd.words, " ") + ")"
		}
		fmt.Fprintf(w, "			'*:argument:%s'\n		;;\n", rest)
	}
	fmt.Fprint(w, `	esac
}
if [[ $funcstack[1] = _pegasimd ]]; then
	_pegasimd "$@"
else
	compdef _pegasimd pegasimd
fi
`)
}

func fishScript(w io.Writer, all []completed) {
	fmt.Fprintln(w, "# Completes pegasimd's commands and flags in fish.")
	for _, cmd := range all {
		fmt.Fprintf(w, "complete -c pegasimd -n __fish_use_subcommand -f -a %s -d '%s'\n", cmd.name,
			strings.Map(plainLetter, cmd.summary))
		seen := fmt.Sprintf("complete -c pegasimd -n '__fish_seen_subcommand_from %s'", cmd.name)
		if cmd.words != nil {
			fmt.Fprintf(w, "%s -f -a '%s'\n", seen, strings.Join(cmd.words, " "))
		}
		for _, f := range cmd.flags {
			takes := " -r"
			switch {
			case f.choices != nil:
				takes = " -x -a '" + strings.Join(f.choices, " ") + "'"
			case f.alone:
				takes = ""
			case !f.file:
				takes = " -x"
			}
			fmt.Fprintf(w, "%s -o %s%s -d '%s'\n", seen, f.name, takes, f.does)
		}
	}
}
