package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed peers
var peerSources embed.FS

// A peer is another library, run by a driver of ours.
type peer struct {
	name     string  // what -peers selects
	needs    string  // what Debian calls it
	folder   *string // the flag that names the folder of its source, for what Debian doesn't have
	source   string  // in peers/
	compiler []string
	libs     []string // and other arguments, in which DIR is that folder
	binary   []method
	many     []method // for more than two classes
}

// A method is one way of training that a peer has.
type method struct {
	name    string
	method  string // for the driver
	efforts []float64
	passes  bool // effort is passes, not a tolerance
}

// passes returns from, 2*from and so on: more than anyone will have the time for.
func passes(from float64) (efforts []float64) {
	for e := from; e <= 1<<14; e *= 2 {
		efforts = append(efforts, e)
	}
	return efforts
}

// tolerances falls from 10 to 1e-6.
func tolerances() (efforts []float64) {
	for e := 10.0; e > 1e-6; e /= 2 {
		efforts = append(efforts, e)
	}
	return efforts
}

var (
	cc  = []string{"gcc", "-std=gnu11", "-O3", "-march=native"}
	cxx = []string{"g++", "-O3", "-march=native", "-DNDEBUG"}
)

var peers = []*peer{
	{name: "liblinear", needs: "liblinear-dev", source: "liblinear.c", compiler: cc,
		libs:   []string{"-llinear"},
		binary: []method{{"liblinear -s 3", "s3", tolerances(), false}},
		many: []method{
			{"liblinear -s 4 (Crammer-Singer)", "s4", []float64{3}, false},
			{"liblinear -s 3, one-vs-rest", "s3", []float64{3}, false},
		}},
	{name: "sklearn", needs: "python3-sklearn", source: "sklearn_driver.py",
		binary: []method{
			{"scikit-learn SGD", "sgd", passes(1), true},
			{"scikit-learn averaged SGD", "asgd", passes(1), true},
			{"scikit-learn LinearSVC", "linearsvc", tolerances(), false},
		},
		many: []method{
			{"scikit-learn averaged SGD, one-vs-rest", "asgd", []float64{1, 5}, true},
			{"scikit-learn averaged SGD, one-vs-one", "asgd-ovo", []float64{1, 5}, true},
		}},
	{name: "vlfeat", needs: "libvlfeat-dev", source: "vlfeat.c", compiler: cc,
		libs: []string{"-lvl", "-lm"},
		binary: []method{
			{"VLFeat SGD", "sgd", passes(1), true}, {"VLFeat SDCA", "sdca", passes(1), true},
		}},
	{name: "dlib", needs: "libdlib-dev", source: "dlib.cc", compiler: cxx,
		binary: []method{{"dlib DCD", "dcd", tolerances(), false}}},
	// With the options of their own Makefiles.
	{name: "svmsgd", folder: &bottou, source: "bottou.cc", compiler: []string{"g++", "-O2", "-w"},
		libs:   bottouArgs,
		binary: []method{{"svmsgd", "sgd", passes(1), true}}},
	{name: "svmasgd", folder: &bottou, source: "bottou.cc",
		compiler: []string{"g++", "-O2", "-w", "-DAVERAGED"}, libs: bottouArgs,
		binary: []method{{"svmasgd", "asgd", passes(1), true}}},
	{name: "sofia", folder: &sofia, source: "sofia.cc", compiler: []string{"g++", "-O3", "-w"},
		libs: []string{
			"-IDIR", "DIR/sofia-ml-methods.cc", "DIR/sf-weight-vector.cc",
			"DIR/sf-sparse-vector.cc", "DIR/sf-data-set.cc", "DIR/sf-hash-weight-vector.cc",
			"DIR/sf-hash-inline.cc",
		},
		binary: []method{{"sofia-ml Pegasos", "pegasos", passes(1), true}}},
}

// Folders of sources.
var (
	bottou     string
	sofia      string
	bottouArgs = []string{"-IDIR", "-IDIR/lib", "-IDIR/svm", "DIR/lib/vectors.cpp",
		"DIR/lib/gzstream.cpp", "DIR/lib/timer.cpp", "-lz"}
)

// install is what gets all of them on Debian.
func install() string {
	packages := []string{"gcc", "g++"}
	for _, p := range peers {
		if p.folder == nil {
			packages = append(packages, p.needs)
		}
	}
	return "apt-get install -y --no-install-recommends " + strings.Join(packages, " ")
}

// command builds the peer's driver in dir and returns how to run it.
func (p *peer) command(ctx context.Context, dir string) ([]string, error) {
	entries, err := peerSources.ReadDir("peers")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := peerSources.ReadFile("peers/" + e.Name())
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o666); err != nil {
			return nil, err
		}
	}
	source := filepath.Join(dir, p.source)
	if p.compiler == nil {
		var err error
		// Debian's first: that has the package
		for _, python := range []string{"/usr/bin/python3", "python3"} {
			var out []byte
			out, err = exec.CommandContext(ctx, python, "-c", "import sklearn").CombinedOutput()
			if err == nil {
				return []string{python, source}, nil
			}
			err = fmt.Errorf("%s is not installed: %v: %s", p.needs, err, lastLine(out))
		}
		return nil, err
	}
	binary := filepath.Join(dir, p.name)
	args := append(p.compiler[1:len(p.compiler):len(p.compiler)], "-o", binary, source)
	needs := p.needs
	for _, arg := range p.libs {
		if p.folder != nil {
			needs, arg = *p.folder, strings.ReplaceAll(arg, "DIR", *p.folder)
		}
		args = append(args, arg)
	}
	if out, err := exec.CommandContext(ctx, p.compiler[0], args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s is not installed, or can't be compiled against: %v: %s", needs,
			err, lastLine(out))
	}
	return []string{binary}, nil
}

func lastLine(out []byte) string {
	text := strings.TrimSpace(string(out))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
