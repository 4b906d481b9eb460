package main

import (
	"context"
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

// A peer is another library, run by one of our drivers in the folder peers.
type peer struct {
	Name     string // name in -peers
	Needs    string // Debian package
	Folder   string // flag with the folder of the peer's source, if Debian lacks the peer
	Source   string // source file of the driver
	Compiler string // compiler with its arguments, DIR being that folder; empty for Python
	Methods  []method
}

// A method is one of a peer's training methods.
type method struct {
	Name, Loss string
	Code       string  // name in the driver's protocol
	Tolerances bool    // whether efforts are tolerances; else passes
	Many       bool    // whether it also trains more than two classes
	Stop       float64 // the library's own tolerance; 0 for none
}

var peers = readPeers()

// scikit is scikit-learn, which drawSeeds compares.
var scikit = peers[slices.IndexFunc(peers, func(p *peer) bool { return p.Name == "sklearn" })]

// folders maps the names of flags to folders of peers' sources.
var folders = map[string]*string{"": new(string), "bottou": new(string), "sofia": new(string)}

// A host runs the drivers of the peers on this machine, on one set at a time.
type host struct {
	ctx      context.Context
	dir      string // folder of drivers and files of rows
	commands map[*peer][]string
	running  map[*peer]*driver
	versions []string
	set      *set
}

// newHost checks which of the wanted peers this machine has, and names those that are absent.
func newHost(ctx context.Context, dir string, wanted func(name string) bool) (*host, error) {
	h := &host{ctx: ctx, dir: dir, commands: map[*peer][]string{}, running: map[*peer]*driver{}}
	if err := os.CopyFS(dir, files); err != nil {
		return nil, err
	}
	for _, p := range peers {
		if !wanted(p.Name) {
			continue
		}
		command, err := p.command(ctx, dir)
		if err != nil {
			log.Printf("absent: %s: %v", p.Name, err)
			continue
		}
		h.commands[p] = command
	}
	return h, nil
}

// command builds the peer's driver and returns the command that runs it.
func (p *peer) command(ctx context.Context, dir string) ([]string, error) {
	source, binary := filepath.Join(dir, "peers", p.Source), filepath.Join(dir, p.Name)
	folder := *folders[p.Folder]
	if p.Folder != "" && folder == "" {
		return nil, errors.New("no folder of its source is given")
	}
	command, built := []string{python, source}, []string{python, "-c", "import sklearn"}
	if p.Compiler != "" {
		words := strings.Fields(p.Compiler)
		command, built = []string{binary}, []string{words[0], "-o", binary, source}
		for _, word := range words[1:] {
			built = append(built, strings.ReplaceAll(word, "DIR", folder))
		}
	}
	out, err := exec.CommandContext(ctx, built[0], built[1:]...).CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(out))
		return nil, fmt.Errorf("want Debian's %s: %w: %s", p.Needs, err,
			text[strings.LastIndexByte(text, '\n')+1:])
	}
	return command, nil
}

// open writes a set to the file that drivers read.
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

// train lets a peer train on the set. It starts the driver if it isn't running, and ends it after
// an error.
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
