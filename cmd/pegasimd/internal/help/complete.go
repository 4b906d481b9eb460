package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

var Shells = []string{"bash", "fish", "zsh"}

// WriteCompletion writes the completion script of a shell. It reports false for other shells.
func WriteCompletion(w io.Writer, shell string, commands []Command) bool {
	switch shell {
	case "bash":
		writeBash(w, commands)
	case "zsh":
		writeZsh(w, commands)
	case "fish":
		writeFish(w, commands)
	default:
		return false
	}
	return true
}

func names(commands []Command) (list []string) {
	for _, c := range commands {
		list = append(list, c.Name)
	}
	return append(list, "help")
}

func writeBash(w io.Writer, commands []Command) {
	fmt.Fprintf(w, `# Completion of pegasimd for bash: source <(pegasimd completion bash)
_pegasimd() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags='' words=''
	[ "$cur" = = ] && cur='' || { [ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}; } # -flag=value
	prev=${prev/#--/-}
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W '%[1]s' -- "$cur"))
		return
	fi
	case ${COMP_WORDS[1]} in
	help) [ "$COMP_CWORD" = 2 ] && COMPREPLY=($(compgen -W '-man %[1]s' -- "$cur")); return ;;
	completion) COMPREPLY=($(compgen -W '%[2]s' -- "$cur")); return ;;
`, strings.Join(names(commands), " "), strings.Join(Shells, " "))
	for _, c := range commands {
		all := flags.Of(c.Name)
		if all == nil {
			continue
		}
		list := "-help-all"
		var cases strings.Builder
		for _, f := range all {
			list += " -" + f.Name
			if choices := f.Choices(); choices != nil {
				fmt.Fprintf(&cases, "\t\t-%s) words='%s' ;;\n", f.Name, strings.Join(choices, " "))
			}
		}
		fmt.Fprintf(w, "\t%s)\n\t\tflags='%s'\n\t\tcase $prev in\n%s\t\tesac ;;\n", c.Name, list, &cases)
	}
	fmt.Fprint(w, `	esac
	if [ -n "$words" ]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
	elif [ "${cur:0:2}" = -- ]; then
		COMPREPLY=($(compgen -P - -W "$flags" -- "${cur:1}"))
	elif [ "${cur:0:1}" = - ]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
	else
		local IFS=$'\n' # names may have blanks
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _pegasimd pegasimd
`)
}

func short(f flags.Flag) string {
	text, _, _ := strings.Cut(f.Help, ";")
	text, _, _ = strings.Cut(text, ". ")
	text, _, _ = strings.Cut(text, ": ")
	text, _, _ = strings.Cut(text, " (")
	return text
}

func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func writeZsh(w io.Writer, commands []Command) {
	fmt.Fprintf(w, `#compdef pegasimd
# Completion of pegasimd for zsh: save it as _pegasimd in a folder of $fpath, or source it.
_pegasimd() {
	if (( CURRENT == 2 )); then
		compadd -- %[1]s
		return
	fi
	case $words[2] in
	help) compadd -- -man %[1]s ;;
	completion) compadd -- %[2]s ;;
`, strings.Join(names(commands), " "), strings.Join(Shells, " "))
	quote := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`)
	for _, c := range commands {
		all := flags.Of(c.Name)
		if all == nil {
			continue
		}
		fmt.Fprintf(w, "\t%s) shift words; (( CURRENT-- )); _arguments \\\n", c.Name)
		for _, f := range all {
			spec := fmt.Sprintf("-%s[%s]", f.Name, quote.Replace(short(f)))
			if choices := f.Choices(); choices != nil {
				spec += fmt.Sprintf(":%s:(%s)", f.Name, strings.Join(choices, " "))
			} else if f.Takes == "file" {
				spec += ":file:_files"
			} else if f.Takes != "" {
				spec += ":" + quote.Replace(f.Takes) + ": "
			}
			if f.Repeats() {
				spec = "*" + spec
			}
			fmt.Fprintf(w, "\t\t%s \\\n", single(spec))
		}
		fmt.Fprint(w, "\t\t'-help-all[list all flags]' '*:file:_files' ;;\n")
	}
	// zsh calls a file of $fpath as the function _pegasimd when the first word is completed.
	fmt.Fprint(w, "\tesac\n}\ncompdef _pegasimd pegasimd\n"+
		"[ \"$funcstack[1]\" != _pegasimd ] || _pegasimd\n")
}

func writeFish(w io.Writer, commands []Command) {
	fmt.Fprintln(w, "# Completion of pegasimd for fish: pegasimd completion fish | source")
	first := "complete -c pegasimd -n __fish_use_subcommand -f"
	for _, c := range commands {
		fmt.Fprintf(w, "%s -a %s -d %s\n", first, c.Name, single(c.Summary))
	}
	fmt.Fprintf(w, "%s -a help\n", first)
	within := "complete -c pegasimd -n '__fish_seen_subcommand_from %s'"
	fmt.Fprintf(w, within+" -f -a '-man %s'\n", "help", strings.Join(names(commands), " "))
	fmt.Fprintf(w, within+" -f -a '%s'\n", "completion", strings.Join(Shells, " "))
	for _, c := range commands {
		for _, f := range flags.Of(c.Name) {
			fmt.Fprintf(w, within+" -o %s -d %s", c.Name, f.Name, single(short(f)))
			if choices := f.Choices(); choices != nil {
				fmt.Fprintf(w, " -x -a '%s'", strings.Join(choices, " "))
			} else if f.Takes == "file" {
				fmt.Fprint(w, " -r -F")
			} else if f.Takes != "" {
				fmt.Fprint(w, " -x")
			}
			fmt.Fprintln(w)
		}
	}
}
