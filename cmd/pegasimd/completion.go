package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

const shellNames = "bash|zsh|fish"

var completionCommand = command{
	name:      "completion",
	arguments: shellNames,
	summary:   "print a script for a shell that completes commands and flags",
	help: `Completion prints a script for a shell, which then completes pegasimd's commands, flags, and the
values that flags can have.

Examples:
  source <(pegasimd completion bash)                             # in ~/.bashrc
  pegasimd completion zsh > ~/.zfunc/_pegasimd                   # a folder of fpath
  pegasimd completion fish > ~/.config/fish/completions/pegasimd.fish`,
	flags: func() flagGroup { return noFlags{} },
	run:   completion,
}

// noFlags are those of a command without any.
type noFlags struct{}

func (noFlags) define(*flag.FlagSet) {}

// shells have the scripts, which ask "pegasimd completion words" for what may stand in the place of
// the last word.
var shells = map[string]string{
	"bash": `# Completes pegasimd's commands and flags in bash: source <(pegasimd completion bash)
_pegasimd() {
	local IFS=$'\n'
	COMPREPLY=($(compgen -W "$("$1" completion words "${COMP_WORDS[@]:1:COMP_CWORD}" |
		cut -f 1)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pegasimd pegasimd
`,
	"zsh": `#compdef pegasimd
# Completes pegasimd's commands and flags in zsh.
_pegasimd() {
	local -a found
	found=("${(@f)$($words[1] completion words "${(@)words[2,CURRENT]}" | tr '\t' ':')}")
	if [[ -n $found ]]; then
		_describe -o pegasimd found
	else
		_files
	fi
}
if [[ $funcstack[1] = _pegasimd ]]; then
	_pegasimd "$@"
else
	compdef _pegasimd pegasimd
fi
`,
	"fish": `# Completes pegasimd's commands and flags in fish.
function __pegasimd_words
	set -l words (commandline -opc) (commandline -ct)
	$words[1] completion words $words[2..-1]
end
complete -c pegasimd -n __fish_use_subcommand -f
complete -c pegasimd -a '(__pegasimd_words)'
`,
}

func completion(c *call, _ flagGroup, args []string) error {
	script, ok := shells[args[0]]
	if !ok {
		names := choicesOf(shellNames)
		return usagef("there is no script for %q, only for %s%s", args[0], list(names),
			meant(args[0], "", names))
	}
	fmt.Fprint(c.stdout, script)
	return nil
}

// commandNames returns those of all commands.
func commandNames() (names []string) {
	for _, cmd := range commands {
		names = append(names, cmd.name)
	}
	return names
}

// candidates returns what the last of the words of a command line may become: lines of a word, and
// what it means behind a tab. There are none for files.
func candidates(words []string) string {
	var lines strings.Builder
	before, word := "help", words[len(words)-1]
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	if before == "help" {
		for _, cmd := range commands {
			fmt.Fprintf(&lines, "%s\t%s\n", cmd.name, cmd.summary)
		}
		return lines.String() + "help\tlist a command's flags and give examples\n"
	}
	k := slices.Index(commandNames(), words[0])
	if k < 0 {
		return ""
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	commands[k].flags().define(flags)
	flags.Bool("help-all", false, "list all flags")
	f := flags.Lookup(strings.TrimLeft(before, "-"))
	switch {
	case f != nil && before[0] == '-':
		takes, _ := placeholderOf(f)
		return strings.Join(choicesOf(takes), "\n")
	case !strings.HasPrefix(word, "-"):
		return strings.Join(choicesOf(commands[k].arguments), "\n")
	}
	flags.VisitAll(func(f *flag.Flag) {
		_, does := placeholderOf(f)
		does, _, _ = strings.Cut(does, ";")
		does, _, _ = strings.Cut(does, ":")
		does, _, _ = strings.Cut(does, " (")
		fmt.Fprintf(&lines, "-%s\t%s\n", f.Name, does)
	})
	return lines.String()
}
