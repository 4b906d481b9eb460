package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the workflows of this repository rely on, with programs that play a hosted runner's.

// ci runs a function of scripts/ci.sh with programs in front of all others.
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

// The command that Ubuntu has in place of Chromium is no browser; Google Chrome is one. Without any
// the figures fail, and are not skipped.
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
		t.Errorf("got %q, %v, want the one that CHROMIUM names", out, err)
	}
}

// Without AVX-512 the page says that it was not tested, and the job does not fail.
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

// The branch of the history begins on a runner without an identity.
func TestHistoryWithoutIdentity(t *testing.T) {
	h := newHistory(t)
	h.commit("Begin")
	origin := filepath.Join(t.TempDir(), "origin")
	h.git("init", "-q", "--bare", origin)
	h.git("remote", "add", "origin", origin)
	h.git("config", "--unset", "user.name")
	h.git("config", "--unset", "user.email")
	h.git("config", "user.useConfigOnly", "true")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	if err := (branch{h.dir, filepath.Join(h.dir, historyFolder)}).pull(t.Context()); err != nil {
		t.Error(err)
	}
}
