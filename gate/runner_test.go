package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ci runs a function of scripts/ci.sh, with programs first in the PATH.
func ci(t *testing.T, programs map[string]string, env []string, function string) (string, error) {
	t.Helper()
	bin := t.TempDir()
	for name, text := range programs {
		file := filepath.Join(bin, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", "../scripts/ci.sh", "only", function)
	cmd.Env = append(os.Environ(), "PATH="+bin+":/usr/bin:/bin")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return strings.ReplaceAll(string(out), bin+"/", ""), err
}

// Ubuntu's command chromium, which only asks to install a package, does not count as a browser.
func TestBrowser(t *testing.T) {
	needs(t, "bash")
	const stub, chrome = "echo requires the chromium snap >&2; exit 1", "echo Google Chrome 155"
	programs := map[string]string{"chromium": stub, "chromium-browser": stub,
		"google-chrome": chrome, "google-chrome-stable": chrome}
	if out, err := ci(t, programs, nil, "browser"); err != nil || out != "google-chrome\n" {
		t.Errorf("got %q, %v, want Google Chrome", out, err)
	}
	for name := range programs {
		programs[name] = stub
	}
	out, err := ci(t, programs, nil, "report_figures")
	if err == nil || !strings.Contains(out, "no browser runs here") {
		t.Errorf("without a browser: %v, %s", err, out)
	}
	programs["brave"] = chrome
	out, err = ci(t, programs, []string{"CHROMIUM=brave"}, "browser")
	if err != nil || out != "brave\n" {
		t.Errorf("got %q, %v, want the browser that CHROMIUM names", out, err)
	}
}

func TestAVX512IfPresent(t *testing.T) {
	needs(t, "bash")
	page := filepath.Join(t.TempDir(), "summary.md")
	out, err := ci(t, map[string]string{"grep": "exit 1"}, []string{"GITHUB_STEP_SUMMARY=" + page},
		"avx512_if_present")
	text, failed := os.ReadFile(page)
	if err != nil || failed != nil || !strings.Contains(out, "::warning title=avx512::") ||
		!strings.HasPrefix(string(text), "avx512: NOT TESTED") {
		t.Errorf("%v, %v, %s, page %q", err, failed, out, text)
	}
}

func TestHistoryWithoutIdentity(t *testing.T) {
	h := newHistory(t)
	h.commit("Begin")
	origin := filepath.Join(t.TempDir(), "origin")
	h.git("init", "-q", "--bare", origin)
	h.git("remote", "add", "origin", origin)
	h.git("config", "user.useConfigOnly", "true")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	if err := pullHistory(t.Context(), h.dir); err != nil {
		t.Error(err)
	}
}

func stepsOf(t *testing.T, file string) (commands []string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^      run: (?:\|\n((?:        .*\n)+)|(.*))`).
		FindAllStringSubmatch(string(text), -1) {
		commands = append(commands, m[1]+m[2])
	}
	return commands
}

// The action's steps fetch enough history for the gate to find the base. actions/checkout makes a
// clone with one commit and no other branches.
func TestAction(t *testing.T) {
	needs(t, "bash")
	origin := newHistory(t)
	origin.git("checkout", "-q", "-b", "trunk")
	origin.commit("root")
	cut := origin.commit("cut")
	origin.git("checkout", "-q", "-b", "pr")
	replaced := origin.commit("before a force push")
	origin.git("reset", "-q", "--hard", cut)
	origin.commit("change")
	pr := origin.commit("change more")
	origin.git("checkout", "-q", "trunk")
	origin.commit("first of a push")
	tip := origin.commit("last of a push")
	origin.git("tag", "v1")
	origin.git("checkout", "-q", "--detach")
	origin.git("merge", "-q", "--no-ff", "-m", "merge", "pr")
	origin.git("update-ref", "refs/pull/1/merge", "HEAD")
	origin.git("checkout", "-q", "trunk")
	for _, c := range []struct{ event, ref, base, want string }{
		{"pull request", "refs/pull/1/merge", "origin/trunk", tip},
		{"first push of a branch", "refs/heads/pr", newBranch, cut},
		{"force push", "refs/heads/pr", replaced, cut},
		{"force push of a commit that the server has forgotten", "refs/heads/pr", lost, cut},
		{"push", "refs/heads/trunk", cut, cut},
		{"tag", "refs/tags/v1", newBranch, origin.git("rev-parse", tip+"^")},
		{"run by hand", "refs/heads/pr", "", origin.git("rev-parse", pr+"^")},
	} {
		clone := gitHistory{t, t.TempDir()}
		clone.git("init", "-q")
		clone.git("remote", "add", "origin", "file://"+origin.dir)
		here := strings.Replace(c.ref, "refs/heads/", "refs/remotes/origin/", 1)
		clone.git("fetch", "-q", "--no-tags", "--depth=1", "origin", "+"+c.ref+":"+here)
		clone.git("checkout", "-q", "--detach", here)
		bin := filepath.Dir(script(t, ""))
		for _, program := range []string{"go", "valgrind", "gate"} {
			if err := os.WriteFile(filepath.Join(bin, program),
				[]byte("#!/bin/sh\necho \"base: $2, $*\"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + bin,
			"BASE=" + c.base, "FLAGS=-prepare 'go generate ./...'"}
		said := ""
		for _, step := range stepsOf(t, "../action.yml") {
			var err error
			if said, err = run(t.Context(), clone.dir, env, "bash", "-euo", "pipefail", "-c",
				step); err != nil {
				t.Fatalf("%s: %v", c.event, err)
			}
		}
		base := regexp.MustCompile(`^base: (.*), -base .* -prepare go generate ./...\n$`).
			FindStringSubmatch(said)
		if base == nil {
			t.Fatalf("%s: the last step says %q", c.event, said)
		}
		if got, why := clone.chosen(base[1]); got != c.want {
			t.Errorf("%s: got %s (%s), want %s", c.event, got, why, c.want)
		}
	}
}
