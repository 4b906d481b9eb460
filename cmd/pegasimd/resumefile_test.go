package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

func TestResumedFiles(t *testing.T) {
	g := rand.New(rand.NewPCG(27, 1))
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, "%d", i%3)
		for j := range 7 { // feature 5 has no values, and feature 7 is far from the origin
			if j != 4 {
				fmt.Fprintf(&rows, " %d:%.3f", 1+j, float64(i%3*j)+3*g.NormFloat64()+float64(j/6*100))
			}
		}
		rows.WriteByte('\n')
	}
	data := file(t, "rows.svm", rows.String())
	chains := []string{
		"", "-tol 0.003", "-proba", "-scale none", "-scale standard -order iid -finish none",
		"-scale max-abs -order sequential -finish dual", "-scale unit -finish newton",
		"-scale none -finish auto -bias unregularised", "-order sequential -finish auto -loss log",
		"-order blocks -block 32 -average none", "-multiclass ovo -scale max-abs -tol 0.01",
		"-multiclass crammer-singer -scale standard", "-loss squared-hinge -batch 5",
		"-loss eps-insensitive -scale unit", "-scale none -multiclass ovr -finish newton",
	}
	if !testing.Short() {
		chains = slices.Repeat(chains, 10)
	}
	interrupted := 0
	for _, flags := range chains {
		args := append([]string{"train", "-quiet"}, strings.Fields(flags)...)
		dir := t.TempDir()
		want, have := filepath.Join(dir, "want"), filepath.Join(dir, "have")
		begin := time.Now()
		must(t, append(args, data, want)...)
		took := time.Since(begin)
		cuts := cutShort(t, g, took, args, data, have)
		interrupted += cuts
		if read(t, have) != read(t, want) {
			t.Errorf("%q: another model file after %d interruptions", flags, cuts)
		}
	}
	if interrupted == 0 {
		t.Error("no run was interrupted")
	}
	t.Logf("%d chains, %d interruptions", len(chains), interrupted)
}

// cutShort interrupts the command up to four times, and returns how often it did.
func cutShort(
	t *testing.T, g *rand.Rand, took time.Duration, args []string, data, model string,
) (cuts int) {
	t.Helper()
	state := filepath.Join(filepath.Dir(model), "state")
	for try := 0; ; try++ {
		now := append([]string(nil), args...)
		if exists(state) {
			now = []string{"train", "-quiet", "-resume", state} // state has the settings
		}
		now = append(now, "-checkpoint", state, "-every", (took / 4).String(), data, model)
		ctx, cancel := context.WithCancel(t.Context())
		if try < 4 {
			time.AfterFunc(time.Duration(g.Int64N(int64(took))), cancel)
		}
		var told bytes.Buffer
		code := run(ctx, now, &told, &told)
		cancel()
		switch code {
		case exitDone:
			return cuts
		case exitInterrupted:
			cuts++
		default:
			t.Fatalf("%q: exit code %d, %s", now, code, told.String())
		}
	}
}

func TestResumedPatience(t *testing.T) {
	data := file(t, "a.svm", strings.Repeat("1 1:1\n2 1:0\n", 9))
	checkpoint, model := filepath.Join(t.TempDir(), "c.model"), filepath.Join(t.TempDir(), "m.model")
	must(t, "train", "-quiet", "-valid", data, "-patience", "2", "-checkpoint", checkpoint, data,
		model)
	fails(t, exitUsage, "-patience, a setting of the checkpoint, needs -valid", "train", "-resume",
		checkpoint, data, model)
}

func TestResumeResolved(t *testing.T) {
	dir := t.TempDir()
	data, first := file(t, "people.csv", people(80)), filepath.Join(dir, "first")
	// -proof rounds the bounds, which may end the run later.
	if _, told := must(t, "train", "-lambda", "0.3", "-proof", dir+"/proof", data, first); !strings.
		Contains(resolvedLine.FindString(told), " -proof ") {
		t.Error(told)
	}
	args := strings.Fields("train -force -quiet -checkpoint " + dir + "/state -lambda 0.1 -proba " +
		"-layout sparse -start " + first)
	must(t, append(args, data, dir+"/whole.model")...)
	again := strings.Fields("train -force -resume " + dir + "/state")
	fails(t, exitUsage, "-start: want the model with the hash ", append(again, data, dir+"/a.model")...)
	fails(t, exitUsage, "-start: the run to resume started from another model", append(again, "-start",
		dir+"/whole.model", data, dir+"/a.model")...)
	_, told := must(t, append(again, "-start", first, data, dir+"/a.model")...)
	resolved := shellSplit(t, resolvedLine.FindStringSubmatch(told)[1])
	must(t, append(resolved[1:len(resolved)-1], "-force", dir+"/b.model")...)
	for _, name := range []string{"a.model", "b.model"} {
		if read(t, filepath.Join(dir, name)) != read(t, dir+"/whole.model") {
			t.Errorf("%s is not the model of the whole run; %s", name, told)
		}
	}
}

func TestResumeZeroClass(t *testing.T) {
	data, dir := file(t, "a.csv", "u,v,y\n1,2,b\n2,1,c\n3,3,a\n-1,-2,b\n-2,0,c\n4,3,a\n"), t.TempDir()
	must(t, "train", "-quiet", "-class-weight", "a=0", "-checkpoint", dir+"/state", data, dir+"/a")
	must(t, "train", "-quiet", "-resume", dir+"/state", data, dir+"/b")
	if read(t, dir+"/a") != read(t, dir+"/b") {
		t.Error("the resumed run gives another model")
	}
}

// The printed command must read the same data.
func TestContinuation(t *testing.T) {
	c := &call{flags: flags.NewSet("train")}
	args := strings.Fields("-format csv -label-column y -numbers * -weights w -valid v -patience 3 " +
		"-start s -proba -epochs 9 -checkpoint c a.data -model m")
	if _, err := c.parse(args, "DATA... [MODEL]"); err != nil {
		t.Fatal(err)
	}
	const want = "pegasimd train -checkpoint c -format csv -label-column y -start s -valid v -weights w " +
		"-resume c -model m a.data"
	if have := c.continuation(); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}
