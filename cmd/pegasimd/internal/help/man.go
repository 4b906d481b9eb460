package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

// WriteMan writes a man page, pegasimd(1), in the macros of man(7).
func WriteMan(w io.Writer, commands []Command) {
	fmt.Fprint(w, ".TH PEGASIMD 1\n.SH NAME\npegasimd \\- train linear models and kernel machines\n"+
		".SH SYNOPSIS\n.B pegasimd\n\\fICOMMAND\\fR [flags] \\fIARGUMENTS\\fR\n.SH DESCRIPTION\n")
	opening, _, _ := strings.Cut(Overview[0], "\n\nUsage")
	writeText(w, opening+"\n\n"+Overview[1])
	fmt.Fprintln(w, ".SH COMMANDS")
	for _, c := range commands {
		fmt.Fprintf(w, ".SS %s\n", roff(c.Usage()))
		writeText(w, c.Help)
		for _, topic := range flags.Topics(c.Name, true) {
			fmt.Fprintf(w, ".PP\n\\fB%s\\fR\n", roff(topic.Title))
			for _, f := range topic.Flags {
				fmt.Fprintf(w, ".TP\n\\fB\\-%s\\fR \\fI%s\\fR\n%s\n", roff(f.Name), roff(f.Takes),
					roff(helpOf(f)))
			}
		}
	}
}

// A paragraph with an indented line keeps its line breaks.
func writeText(w io.Writer, text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, "  ") || strings.Contains(paragraph, "\n  ") {
			fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", roff(paragraph))
		} else {
			fmt.Fprintf(w, ".PP\n%s\n", roff(paragraph))
		}
	}
}

var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// roff escapes text for troff, to which a line that begins with a dot or a quote is a request.
func roff(text string) string {
	return strings.TrimPrefix(escapes.Replace("\n"+strings.TrimSpace(text)), "\n")
}
