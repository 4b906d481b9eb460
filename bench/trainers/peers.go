package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/sets"
)

// A peer is another library, called by a driver in the folder peers.
type peer struct {
	Name     string // name in -peers
	Needs    string // Debian package
	Folder   string // flag for the folder of the source; empty if Debian has the peer
	Source   string
	Compiler string // with arguments; DIR stands for the folder; empty for Python
	Methods  []method
}

type method struct {
	Name, Loss string
	Code       string  // names the method in requests to the driver: see peers/driver.h
	Tolerances bool    // efforts are tolerances; else passes
	Many       bool    // also trains more than two classes
	Stop       float64 // the library's default tolerance; 0 for none
}

var peers = readPeers()

var scikit = peers[slices.IndexFunc(peers, func(p *peer) bool { return p.Name == "sklearn" })]

// folders of peers' sources, by flag
var folders = map[string]*string{"": new(string), "bottou": new(string), "sofia": new(string)}

// Debian packages scikit-learn for this interpreter.
const python = "/usr/bin/python3"

func (s *session) findPeers() error {
	if err := os.CopyFS(s.dir, files); err != nil {
		return err
	}
	var names []string
	for _, p := range peers {
		names = append(names, p.Name)
	}
	if s.peers != "none" {
		if err := sets.CheckPatterns("peer", s.peers, names); err != nil {
			return err
		}
	}
	for _, p := range peers {
		if !sets.Matches(s.peers, p.Name) {
			continue
		}
		var err error
		if s.commands[p], err = p.command(s.ctx, s.dir); err != nil {
			log.Printf("absent: %s: %v", p.Name, err)
		}
	}
	return nil
}

func (p *peer) command(ctx context.Context, dir string) ([]string, error) {
	source, binary := filepath.Join(dir, "peers", p.Source), filepath.Join(dir, p.Name)
	folder := *folders[p.Folder]
	if p.Folder != "" && folder == "" {
		return nil, fmt.Errorf("-%s is missing: the folder of its source", p.Folder)
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
		return nil, fmt.Errorf("its driver, which needs Debian's %s, does not work: %w: %s", p.Needs, err,
			complaint(string(out)))
	}
	return command, nil
}

// complaint returns the first error in the output of a compiler or of Python, or the last line.
func complaint(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines {
		if strings.Contains(line, "rror: ") {
			return line
		}
	}
	return lines[len(lines)-1]
}

func (s *session) openRows(of *sets.Set) error {
	s.stopPeers()
	s.loaded = of
	err := writeRows(filepath.Join(s.dir, "train"), of.Train)
	if err == nil && of.Test != nil {
		err = writeRows(filepath.Join(s.dir, "test"), of.Test)
	}
	return err
}

func (s *session) stopPeers() {
	for _, d := range s.running {
		d.stop()
	}
	clear(s.running)
}

// train ends the driver after an error.
func (s *session) train(p *peer, code string, lambda, effort float64, limit time.Duration) (
	*training, error) {
	d := s.running[p]
	if d == nil {
		command := append(slices.Clip(s.commands[p]), filepath.Join(s.dir, "train"))
		if s.loaded.Test != nil {
			command = append(command, filepath.Join(s.dir, "test"))
		}
		var err error
		if d, err = start(s.ctx, command...); err != nil {
			return nil, err
		}
		s.running[p] = d
		if !slices.Contains(s.versions, d.version) {
			s.versions = append(s.versions, d.version)
		}
	}
	t, err := d.train(code, lambda, effort, 1, limit)
	if err != nil {
		d.stop()
		delete(s.running, p)
	}
	return t, err
}
