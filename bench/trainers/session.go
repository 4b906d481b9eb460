package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/record"
	"github.com/pegasimd/pegasimd/gate/machine"
)

// A session is what all sets of a run share.
type session struct {
	options
	ctx      context.Context
	dir      string             // of drivers and files of rows
	commands map[*peer][]string // those that are installed
	versions map[string]bool    // of all drivers that ran
	pinning  *machine.Pinning
	notes    []string
	report   report
	studied  []studied
}

func (o options) run(ctx context.Context) error {
	began := time.Now()
	if o.quick {
		o.rounds, o.limit, o.tol, o.cache, o.most = 1, 0.05, 1e-4, "", min(o.most, 8)
	}
	wanted, err := selected(o.sets, sourceNames())
	if err != nil {
		return err
	}
	wantedPeer, err := selected(o.peers, append(peerNames(), "none"))
	if err != nil {
		return err
	}
	s := &session{options: o, ctx: ctx, commands: map[*peer][]string{}, versions: map[string]bool{}}
	if s.dir, err = os.MkdirTemp("", "pegasimd-trainers"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	if !o.study {
		s.findPeers(wantedPeer)
	}
	s.pinning = machine.Pin() // and what is started from this thread with it
	runtime.GOMAXPROCS(1)
	data := os.Getenv("PEGASIMD_DATA") != ""
	if !data {
		s.note("PEGASIMD_DATA is not set: only the synthetic set and the digits are run")
	}
	for _, source := range sources {
		brief := !o.quick || o.sets != "" || source.quick
		if !wanted(source.name) || !brief || o.study && source.classes {
			continue
		}
		if source.real && !data {
			if o.sets != "" {
				return fmt.Errorf("%s: PEGASIMD_DATA is not set", source.name)
			}
			continue
		}
		if err := s.set(source); err != nil {
			return err
		}
		log.Printf("%s done after %.0f s", source.name, time.Since(began).Seconds())
	}
	return s.write(time.Since(began))
}

// findPeers finds out which peers are installed.
func (s *session) findPeers(wanted func(name string) bool) {
	missing := false
	for _, p := range peers {
		if !wanted(p.name) || p.folder != nil && *p.folder == "" {
			continue
		}
		command, err := p.command(s.ctx, s.dir)
		if err != nil {
			s.note("Left out: %s: %v", p.name, err)
			missing = missing || p.folder == nil
			continue
		}
		s.commands[p] = command
	}
	if missing && s.peers == "" {
		s.note("To install all peers (Debian): %s", install())
	}
}

func (s *session) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	log.Print(line)
	s.notes = append(s.notes, line)
}

// set does all that is to be done with a set.
func (s *session) set(source source) error {
	loaded, err := source.open(s.dir, s.quick)
	if err != nil {
		return err
	}
	defer os.Remove(loaded.file)
	defer os.Remove(loaded.testFile)
	runtime.GC() // drivers need memory too

	if source.classes {
		for _, lambda := range source.lambdas {
			if err := s.many(loaded, lambda); err != nil {
				return err
			}
		}
		return nil
	}
	var problems []*problem
	for _, lambda := range source.lambdas {
		o, err := findOptimum(loaded, lambda, s.tol, s.cache)
		if err != nil {
			return err
		}
		if o.seconds > 0 {
			log.Printf("%s, lambda %g: found the optimum %.8f in %.1f s", source.name, lambda,
				o.upper, o.seconds)
		}
		problems = append(problems, &problem{set: loaded, lambda: lambda, optimum: o})
	}
	own, err := s.start(s.own(loaded, 1), loaded)
	if err != nil {
		return err
	}
	defer own.Stop()
	if s.study {
		for _, p := range problems {
			rows, err := study(p, own, s.most)
			if err != nil {
				return err
			}
			s.studied = append(s.studied, rows...)
		}
		return nil
	}
	return s.compare(problems, own, loaded)
}

// compare times our settings and the peers on problems of one set.
func (s *session) compare(problems []*problem, own *driver, loaded *set) error {
	contenders, stop, err := s.peersFor(loaded, func(p *peer) []method { return p.binary })
	defer stop()
	if err != nil {
		return err
	}
	for _, p := range problems {
		p.contenders = append(ownContenders(own, settings), contenders()...)
		for round := range s.rounds {
			if err := p.measure(round, s.limit); err != nil {
				return fmt.Errorf("%s, lambda %g: %w", loaded.name, p.lambda, err)
			}
		}
		s.report.Tables = append(s.report.Tables, p.table())
	}
	return nil
}

// own returns the command of our own driver.
func (s *session) own(loaded *set, threads int) []string {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err) // there is no program without one
	}
	command := []string{self, "serve", "-threads", fmt.Sprint(threads)}
	if loaded.classes {
		command = append(command, "-test", loaded.testFile)
	}
	return command
}

func (s *session) start(command []string, loaded *set) (*driver, error) {
	d, err := start(s.ctx, command, loaded.file, loaded.train.Cols())
	if err != nil {
		return nil, err
	}
	s.versions[d.Version] = true
	return d, nil
}

func ownContenders(d *driver, settings []setting) (all []*contender) {
	for _, v := range settings {
		c := &contender{name: v.name, ours: true, driver: d, method: compact(v.config),
			efforts: passes(0.25), passes: true, long: v.long}
		if v.epochs {
			c.efforts = passes(1)
		}
		c.levels = len(c.efforts)
		if _, err := config(v.config); err != nil {
			c.left = err.Error()
		}
		all = append(all, c)
	}
	return all
}

// peersFor starts the drivers of those peers that have methods for the set. The function that it
// returns makes contenders of them, new ones at each call.
func (s *session) peersFor(loaded *set, methods func(*peer) []method) (
	contenders func() []*contender, stop func(), err error) {
	drivers := map[*peer]*driver{}
	stop = func() {
		for _, d := range drivers {
			d.Stop()
		}
	}
	for _, p := range peers {
		if command, ok := s.commands[p]; ok && len(methods(p)) > 0 {
			if drivers[p], err = s.start(command, loaded); err != nil {
				delete(drivers, p)
				return nil, stop, err
			}
		}
	}
	return func() (all []*contender) {
		for _, p := range peers {
			if drivers[p] == nil {
				continue
			}
			for _, m := range methods(p) {
				all = append(all, &contender{name: m.name, driver: drivers[p], method: m.method,
					efforts: m.efforts, passes: m.passes, levels: len(m.efforts)})
			}
		}
		return all
	}, stop, nil
}

func (s *session) many(loaded *set, lambda float64) error {
	one, err := s.start(s.own(loaded, 1), loaded)
	if err != nil {
		return err
	}
	defer one.Stop()
	if err := s.pinning.Release(); err != nil {
		return err
	}
	two, err := s.start(s.own(loaded, 2), loaded)
	if err != nil {
		return err
	}
	defer two.Stop()
	if err := s.pinning.Hold(); err != nil {
		return err
	}
	ours := ownContenders(one, settingsOfMany)
	twoThreads := map[*contender]bool{}
	for _, c := range ownContenders(two, settingsOfMany) {
		twoThreads[c] = true
		ours = append(ours, c)
	}
	contenders, stop, err := s.peersFor(loaded, func(p *peer) []method { return p.many })
	defer stop()
	if err != nil {
		return err
	}
	t, err := measureMany(loaded, lambda, contenders(), ours, twoThreads, s.rounds, 4*s.limit)
	if err != nil {
		return err
	}
	s.report.Many = append(s.report.Many, t)
	return nil
}

// write prints what was measured.
func (s *session) write(took time.Duration) error {
	s.report.Head = append(s.head(took), s.notes...)
	if s.study {
		if s.asJSON {
			return record.JSON(s.out, s.studied)
		}
		var b strings.Builder
		record.Write(&b, "bench/trainers -study", s.report.Head)
		markStudies(&b, s.studied, s.most)
		return record.Print(s.out, s.record, b.String())
	}
	s.report.Targets = verdicts(&s.report)
	if s.record != "" {
		if err := record.Print(io.Discard, s.record, s.report.markdown()); err != nil {
			return err
		}
	}
	if s.asJSON {
		return record.JSON(s.out, &s.report)
	}
	return record.Print(s.out, "", s.report.markdown())
}

// head tells where and how the numbers were made.
func (s *session) head(took time.Duration) []string {
	method := fmt.Sprintf("%d rounds, medians; no run is made longer once one took %g s", s.rounds,
		s.limit/2)
	if s.study {
		method = fmt.Sprintf("one run each of 1/8, 1/4 and so on up to %g passes", s.most)
	}
	return append(record.Head("trainers", s.pinning.String()),
		"Trainers: "+strings.Join(slices.Sorted(maps.Keys(s.versions)), "; "),
		fmt.Sprintf("Method: %s; %.0f s in all, %.0f s of CPU time",
			method, took.Seconds(), machine.AllSeconds()))
}
