// Command trainers times Pegasimd's trainer beside liblinear, scikit-learn, VLFeat and dlib, on the same rows, lambda and
// objective. README.md says how, and what is unfair.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/pegasimd/pegasimd/bench/internal/machine"
)

// options are the flags.
type options struct {
	sets, peers string
	rounds      int
	limit       float64 // seconds of the longest run
	tol         float64 // of the optimum
	quick       bool
	study       bool
	most        float64 // passes in the study
	cache       string
	markdown    string
	asJSON      bool
	out         io.Writer
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("trainers: ")
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve(os.Args[2:]); err != nil {
			log.Fatal(err)
		}
		return
	}
	o := options{out: os.Stdout}
	flag.StringVar(&o.sets, "sets", "", "comma-separated sets, of "+strings.Join(sourceNames(), ", ")+" (default all that can be had)")
	flag.StringVar(&o.peers, "peers", "", "comma-separated peers, of "+strings.Join(peerNames(), ", ")+", or none (default all)")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds over all runs; times are medians")
	flag.Float64Var(&o.limit, "limit", 1, "seconds of training beyond which a run isn't made longer")
	flag.Float64Var(&o.tol, "gap", 1e-5, "relative gap to which the optimum has to be known")
	flag.BoolVar(&o.quick, "quick", false, "one round of short runs on small sets, to see that all works")
	flag.BoolVar(&o.study, "study", false, "count the passes that each choice of step size, order and average needs, in place of seconds")
	flag.Float64Var(&o.most, "study-passes", 128, "the most passes in the study")
	flag.StringVar(&bottou, "bottou", "", "folder with the source of Bottou's sgd 2, to run svmsgd and svmasgd themselves")
	flag.StringVar(&sofia, "sofia", "", "folder with sofia-ml's source (src), to run it itself")
	flag.StringVar(&o.cache, "cache", defaultCache(), "folder that keeps the optima from run to run; empty for none")
	flag.StringVar(&o.markdown, "markdown", "", "write the tables to this file as well")
	flag.BoolVar(&o.asJSON, "json", false, "print JSON instead of Markdown")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if o.rounds < 1 || !(o.limit > 0) || !(o.tol > 0) || !(o.most >= 1) {
		log.Fatal("-rounds, -limit, -gap and -study-passes must be positive")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := o.run(ctx); err != nil {
		log.Fatal(err)
	}
}

func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pegasimd-trainers")
}

func sourceNames() (names []string) {
	for _, s := range sources {
		names = append(names, s.name)
	}
	return names
}

func peerNames() (names []string) {
	for _, p := range peers {
		names = append(names, p.name)
	}
	return names
}

// selected reports whether name is in a list, or the list is empty, and refuses unknown names.
func selected(list string, known []string) (func(name string) bool, error) {
	if list == "" {
		return func(string) bool { return true }, nil
	}
	names := strings.Split(list, ",")
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("no %q: there are %s", n, strings.Join(known, ", "))
		}
	}
	return func(name string) bool { return slices.Contains(names, name) }, nil
}

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

	missing := false
	for _, p := range peers {
		if o.study || !wantedPeer(p.name) || p.folder != nil && *p.folder == "" {
			continue
		}
		command, err := p.command(ctx, s.dir)
		if err != nil {
			s.note("Left out: %s: %v", p.name, err)
			missing = missing || p.folder == nil
			continue
		}
		s.commands[p] = command
	}
	if missing && o.peers == "" {
		s.note("To install all peers (Debian): %s", install())
	}

	s.pinning = machine.Pin() // and what is started from this thread with it
	runtime.GOMAXPROCS(1)
	if os.Getenv("PEGASIMD_DATA") == "" {
		s.note("PEGASIMD_DATA is not set: only the synthetic set and the digits are run")
	}
	for _, source := range sources {
		switch {
		case !wanted(source.name), o.quick && o.sets == "" && !source.quick, o.study && source.classes:
			continue
		case source.real && os.Getenv("PEGASIMD_DATA") == "":
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
	return s.write(s.pinning.String(), time.Since(began))
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
	var optima []*optimum
	for _, lambda := range source.lambdas {
		o, err := findOptimum(loaded, lambda, s.tol, s.cache)
		if err != nil {
			return err
		}
		if o.seconds > 0 {
			log.Printf("%s, lambda %g: found the optimum %.8f in %.1f s", source.name, lambda, o.upper, o.seconds)
		}
		optima = append(optima, o)
	}
	own, err := s.start(s.own(loaded, 1), loaded)
	if err != nil {
		return err
	}
	defer own.stop()
	if s.study {
		for i, lambda := range source.lambdas {
			rows, err := study(&problem{set: loaded, lambda: lambda, optimum: optima[i]}, own, s.most)
			if err != nil {
				return err
			}
			s.studied = append(s.studied, rows...)
		}
		return nil
	}
	contenders, stop, err := s.peersFor(loaded, func(p *peer) []method { return p.binary })
	defer stop()
	if err != nil {
		return err
	}
	for i, lambda := range source.lambdas {
		p := &problem{set: loaded, lambda: lambda, optimum: optima[i]}
		p.contenders = append(ownContenders(own, settings), contenders()...)
		for round := range s.rounds {
			if err := p.measure(round, s.limit); err != nil {
				return fmt.Errorf("%s, lambda %g: %w", source.name, lambda, err)
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
	s.versions[d.version] = true
	return d, nil
}

func ownContenders(d *driver, settings []setting) (all []*contender) {
	for _, v := range settings {
		c := &contender{name: v.name, ours: true, driver: d, method: compact(v.config), efforts: passes(0.25), passes: true, long: v.long}
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

// peersFor starts the drivers of those peers that have methods for the set. The function that it returns makes contenders
// of them, new ones at each call.
func (s *session) peersFor(loaded *set, methods func(*peer) []method) (contenders func() []*contender, stop func(), err error) {
	drivers := map[*peer]*driver{}
	stop = func() {
		for _, d := range drivers {
			d.stop()
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
				all = append(all, &contender{name: m.name, driver: drivers[p], method: m.method, efforts: m.efforts, passes: m.passes, levels: len(m.efforts)})
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
	defer one.stop()
	if err := s.pinning.Release(); err != nil {
		return err
	}
	two, err := s.start(s.own(loaded, 2), loaded)
	if err != nil {
		return err
	}
	defer two.stop()
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

func (s *session) write(where string, took time.Duration) error {
	s.report.Head = append(s.head(where, took), s.notes...)
	var b strings.Builder
	switch {
	case s.study && s.asJSON:
		text, err := studyJSON(s.studied)
		if err != nil {
			return err
		}
		b.Write(text)
	case s.study:
		for _, line := range s.report.Head {
			fmt.Fprintf(&b, "* %s\n", line)
		}
		markStudies(&b, s.studied, s.most)
	default:
		s.report.Targets = verdicts(&s.report)
		if s.markdown != "" {
			f, err := os.Create(s.markdown)
			if err != nil {
				return err
			}
			if err := s.report.markdown(f); err != nil {
				f.Close()
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
		}
		if s.asJSON {
			return s.report.json(s.out)
		}
		return s.report.markdown(s.out)
	}
	if s.markdown != "" {
		if err := os.WriteFile(s.markdown, []byte(b.String()), 0o666); err != nil {
			return err
		}
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

// head tells where and how the numbers were made.
func (s *session) head(where string, took time.Duration) []string {
	cpu := cpuid.CPU
	versions := slices.Sorted(func(yield func(string) bool) {
		for v := range s.versions {
			if !yield(v) {
				return
			}
		}
	})
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, v := range info.Settings {
			if v.Key == "vcs.revision" {
				revision = ", revision " + v.Value
			}
		}
	}
	method := fmt.Sprintf("%d rounds, medians; no run is made longer once one took %g s", s.rounds, s.limit/2)
	if s.study {
		method = fmt.Sprintf("one run each of 1/8, 1/4 and so on up to %g passes", s.most)
	}
	return []string{
		fmt.Sprintf("CPU: %s, family %d, model %d, %d cores seen; %s", cpu.BrandName, cpu.Family, cpu.Model, runtime.NumCPU(), where),
		"Trainers: " + strings.Join(versions, "; ") + revision,
		fmt.Sprintf("Method: %s; %.0f s in all, %.0f s of CPU time", method, took.Seconds(), machine.AllSeconds()),
		"Date: " + time.Now().UTC().Format(time.RFC3339),
		"Command: trainers " + strings.Join(os.Args[1:], " "),
	}
}
