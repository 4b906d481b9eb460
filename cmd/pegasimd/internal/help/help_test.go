package help

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

var some = []Command{
	{"train", "DATA [MODEL]", "train a model", "Train trains.\n\nExamples:\n  pegasimd train 'a'"},
	{"completion", "SHELL", "write completion", "Completion."},
}

func text(write func(w *strings.Builder)) string {
	var b strings.Builder
	write(&b)
	return b.String()
}

func TestRowIsEverywhere(t *testing.T) {
	defer func(old []flags.Topic) { flags.Table = old }(flags.Table)
	flags.Table = []flags.Topic{{Title: "New", Flags: []flags.Flag{
		{Name: "speed", Takes: "slow|fast", In: "train!", Default: "fast", Help: "how fast, " +
			strings.Repeat("word ", 20)},
		{Name: "rare", Takes: "file", In: "train", Help: "a [file]: it's rare"},
		{Name: "valid", Field: "Valid", Takes: "file", In: "train", Help: "repeated"}}}}
	usual := text(func(w *strings.Builder) { WriteCommand(w, some[0], false) })
	all := text(func(w *strings.Builder) { WriteCommand(w, some[0], true) })
	words := strings.TrimSpace(strings.Repeat("word ", 15))
	want := "Usage: pegasimd train [flags] DATA [MODEL]\n\n" + some[0].Help + "\n\nNew:\n" +
		"  -speed slow|fast\n    how fast, " + words + "\n    word word word word word (default fast)\n"
	if usual != want+"\n'pegasimd train -help-all' lists all flags.\n" ||
		all != want+"  -rare file\n    a [file]: it's rare\n  -valid file\n    repeated\n" {
		t.Errorf("%s\n%s", usual, all)
	}
	if man := text(func(w *strings.Builder) { WriteMan(w, some) }); !strings.Contains(man,
		"\n.TP\n\\fB\\-speed\\fR \\fIslow|fast\\fR\nhow fast") || !strings.Contains(man,
		".nf\nExamples:\n  pegasimd train 'a'\n.fi\n") {
		t.Error(man)
	}
	for shell, want := range map[string][]string{
		"bash": {"-speed) words='slow fast' ;;", "flags='-help-all -speed -rare -valid'"},
		"zsh": {"'-speed[how fast", ":speed:(slow fast)'", "'-rare[a \\[file\\]]:file:_files'",
			"'*-valid[repeated]:file:_files'"},
		"fish": {"-o speed -d 'how fast", "-x -a 'slow fast'", "-o rare -d 'a [file]' -r -F"},
	} {
		script := text(func(w *strings.Builder) { WriteCompletion(w, shell, some) })
		for _, part := range want {
			if !strings.Contains(script, part) {
				t.Errorf("%s: want %q in\n%s", shell, part, script)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, shell := range Shells {
		script := filepath.Join(t.TempDir(), "_pegasimd")
		err := os.WriteFile(script, []byte(text(func(w *strings.Builder) {
			WriteCompletion(w, shell, some)
		})), 0o666)
		if err != nil {
			t.Fatal(err)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s: NOT TESTED", shell)
			continue
		}
		if out, err := exec.Command(path, "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
		if shell == "zsh" { // which runs a file of $fpath as the function of this name
			out, err := exec.Command(path, "-f", "-c", "compdef() {}; compadd() { echo $2 }; CURRENT=2; "+
				"fpath=("+filepath.Dir(script)+"); autoload -Uz _pegasimd; _pegasimd").CombinedOutput()
			if err != nil || string(out) != "train\n" {
				t.Errorf("the first completion: %q, %v", out, err)
			}
		}
		if shell != "bash" {
			continue
		}
		for _, name := range []string{"data.csv", "two words.csv"} {
			if err := os.WriteFile(name, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for line, want := range map[string]string{
			"tr": "train", "train -los": "-loss", "train -loss squ": "squared-hinge+squared",
			"completion f": "fish", "train da": "data.csv", "train tw": "two words.csv",
			"help -": "-man", "train -q": "-quote+-quiet",
			"train --los": "--loss", "train -loss = squ": "squared-hinge+squared",
			"train -valid = da": "data.csv",
			"train -bias =":     "none+augmented+unregularised",
		} {
			words := append([]string{"pegasimd"}, strings.Fields(line)...)
			command := "source " + script + "; COMP_WORDS=('" + strings.Join(words, "' '") +
				"'); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _pegasimd; IFS=+; echo \"${COMPREPLY[*]}\""
			out, err := exec.Command(path, "-c", command).CombinedOutput()
			if have := strings.TrimSpace(string(out)); err != nil || have != want {
				t.Errorf("%q completes to %q (%v), want %q", line, have, err, want)
			}
		}
	}
}

// No text line of the man page is a request by accident.
func TestMan(t *testing.T) {
	man := text(func(w *strings.Builder) { WriteMan(w, some) })
	for _, request := range regexp.MustCompile(`(?m)^[.'](\w*)`).FindAllStringSubmatch(man, -1) {
		if !strings.Contains(" TH SH SS PP TP B nf fi ", " "+request[1]+" ") {
			t.Errorf("the request %q", request[0])
		}
	}
	if have := roff(".a-b\\\n'c"); have != "\\&.a\\-b\\e\n\\&'c" {
		t.Errorf("%q", have)
	}
	path, err := exec.LookPath("groff")
	if err != nil {
		t.Log("no groff: its warnings were NOT TESTED")
		return
	}
	cmd := exec.Command(path, "-man", "-ww", "-Tascii")
	cmd.Stdin = strings.NewReader(man)
	var warnings strings.Builder
	cmd.Stderr = &warnings
	if err := cmd.Run(); err != nil || warnings.Len() > 0 {
		t.Errorf("%v\n%s", err, warnings.String())
	}
}
