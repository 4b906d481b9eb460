package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed peers
var peerSources embed.FS

// A peer is another library, run by a driver of ours in the folder peers.
type peer struct {
	name     string  // what -peers selects
	needs    string  // what Debian calls it
	folder   *string // the flag that names the folder of its source, for what Debian doesn't have
	source   string
	compiler []string // and its arguments, in which DIR is that folder; nil for Python
	methods  []method
}

// A method is one way of training that a peer has.
type method struct {
	name, loss string
	code       string // for the driver
	tolerances bool   // what effort is, in place of passes
	many       bool   // also for more than two classes
	stop       float64
}

var bottou, sofia string // the flags

var cc = []string{"gcc", "-std=gnu11", "-O3", "-march=native", "-lm"}

var liblinear = &peer{name: "liblinear", needs: "liblinear-dev", source: "liblinear.c",
	compiler: append(slices.Clip(cc), "-llinear"),
	methods: []method{ // with the tolerances of liblinear-train
		{"liblinear -s 3", "hinge", "3", true, true, .1},
		{"liblinear -s 1", "squared-hinge", "1", true, true, .1},
		{"liblinear -s 2", "squared-hinge", "2", true, true, .01},
		{"liblinear -s 0", "log", "0", true, true, .01},
		{"liblinear -s 7", "log", "7", true, true, .1},
	}}

var scikit = &peer{name: "sklearn", needs: "python3-sklearn", source: "scikit.py",
	methods: []method{
		{"SGDClassifier", "hinge", "sgd-hinge", false, true, 0},
		{"SGDClassifier, averaged", "hinge", "asgd-hinge", false, true, 0},
		{"LinearSVC", "hinge", "linear-hinge", true, true, 0},
		{"SGDClassifier, averaged", "squared-hinge", "asgd-squared-hinge", false, true, 0},
		{"LinearSVC", "squared-hinge", "linear-squared-hinge", true, true, 0},
		{"SGDClassifier", "log", "sgd-log", false, true, 0},
		{"SGDClassifier, averaged", "log", "asgd-log", false, true, 0},
		{"LogisticRegression, L-BFGS", "log", "logistic-lbfgs", true, false, 0},
		{"LogisticRegression, Newton", "log", "logistic-newton-cholesky", true, false, 0},
	}}

var peers = []*peer{
	liblinear, scikit,
	{name: "vlfeat", needs: "libvlfeat-dev", source: "vlfeat.c",
		compiler: append(slices.Clip(cc), "-lvl"),
		methods: []method{{"VLFeat SGD", "hinge", "sgd", false, false, 0},
			{"VLFeat SDCA", "hinge", "sdca", false, false, 0}}},
	{name: "dlib", needs: "libdlib-dev", source: "dlib.cc",
		compiler: []string{"g++", "-O3", "-march=native", "-DNDEBUG"},
		methods:  []method{{"dlib DCD", "hinge", "dcd", true, false, 0}}},
	// With the options of their own Makefiles.
	{name: "svmsgd", folder: &bottou, source: "bottou.cc", compiler: bottouCompiler,
		methods: []method{{"svmsgd", "hinge", "sgd", false, false, 0}}},
	{name: "svmasgd", folder: &bottou, source: "bottou.cc",
		compiler: append(slices.Clip(bottouCompiler), "-DAVERAGED"),
		methods:  []method{{"svmasgd", "hinge", "asgd", false, false, 0}}},
	{name: "sofia", folder: &sofia, source: "sofia.cc",
		compiler: []string{"g++", "-O3", "-w", "-IDIR", "DIR/sofia-ml-methods.cc",
			"DIR/sf-weight-vector.cc", "DIR/sf-sparse-vector.cc", "DIR/sf-data-set.cc",
			"DIR/sf-hash-weight-vector.cc", "DIR/sf-hash-inline.cc"},
		methods: []method{{"sofia-ml Pegasos", "hinge", "pegasos", false, false, 0}}},
}

var bottouCompiler = []string{"g++", "-O2", "-w", "-IDIR", "-IDIR/lib", "-IDIR/svm",
	"DIR/lib/vectors.cpp", "DIR/lib/gzstream.cpp", "DIR/lib/timer.cpp", "-lz"}

// A host has the peers that are on this machine, and runs their drivers on one set at a time.
type host struct {
	ctx      context.Context
	dir      string // of drivers and files of rows
	commands map[*peer][]string
	running  map[*peer]*driver
	versions []string
	set      *set
}

// newHost finds out which of the wanted peers there are, and names those that are absent.
func newHost(ctx context.Context, dir string, wanted func(name string) bool) (*host, error) {
	h := &host{ctx: ctx, dir: dir, commands: map[*peer][]string{}, running: map[*peer]*driver{}}
	if err := os.CopyFS(dir, peerSources); err != nil {
		return nil, err
	}
	for _, p := range peers {
		if !wanted(p.name) {
			continue
		}
		command, err := p.command(ctx, dir)
		if err != nil {
			log.Printf("absent: %s: %v", p.name, err)
			continue
		}
		h.commands[p] = command
	}
	return h, nil
}

// command builds the peer's driver and returns how to run it.
func (p *peer) command(ctx context.Context, dir string) ([]string, error) {
	source, binary := filepath.Join(dir, "peers", p.source), filepath.Join(dir, p.name)
	if p.folder != nil && *p.folder == "" {
		return nil, errors.New("no folder of its source is given")
	}
	command, built := []string{binary}, p.compiler
	if p.compiler == nil {
		command, built = []string{python, source}, []string{python, "-c", "import sklearn"}
	} else {
		built = append([]string{built[0], "-o", binary, source}, built[1:]...)
	}
	for i := range built {
		if p.folder != nil {
			built[i] = strings.ReplaceAll(built[i], "DIR", *p.folder)
		}
	}
	out, err := exec.CommandContext(ctx, built[0], built[1:]...).CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(out))
		return nil, fmt.Errorf("want Debian's %s: %w: %s", p.needs, err,
			text[strings.LastIndexByte(text, '\n')+1:])
	}
	return command, nil
}

// open makes a set the one that drivers have.
func (h *host) open(s *set) error {
	h.close()
	h.set = s
	err := writeRows(filepath.Join(h.dir, "train"), s.train)
	if err == nil && s.test != nil {
		err = writeRows(filepath.Join(h.dir, "test"), s.test)
	}
	return err
}

// close ends all drivers.
func (h *host) close() {
	for _, d := range h.running {
		d.stop()
	}
	clear(h.running)
}

// train lets a peer train on the set. Its driver is started if it isn't running, and ended after an
// error.
func (h *host) train(p *peer, code string, lambda, effort float64, limit time.Duration) (
	*training, error) {
	d := h.running[p]
	if d == nil {
		command := append(slices.Clip(h.commands[p]), filepath.Join(h.dir, "train"))
		if h.set.test != nil {
			command = append(command, filepath.Join(h.dir, "test"))
		}
		var err error
		if d, err = start(h.ctx, command...); err != nil {
			return nil, err
		}
		h.running[p] = d
		if !slices.Contains(h.versions, d.version) {
			h.versions = append(h.versions, d.version)
		}
	}
	t, err := d.train(code, lambda, effort, 1, limit)
	if err != nil {
		d.stop()
		delete(h.running, p)
	}
	return t, err
}
