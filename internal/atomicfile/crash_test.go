package atomicfile_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/atomicfile"
	"github.com/pegasimd/pegasimd/pegasos"
)

// TestMain saves models until it is killed if PEGASIMD_TEST_SAVE is set to PATH FEATURES FIRST.
func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv("PEGASIMD_TEST_SAVE")); len(args) == 3 {
		features, _ := strconv.Atoi(args[1])
		n, _ := strconv.Atoi(args[2])
		fmt.Println("ready")
		for ; ; n++ {
			if err := model(features, n).WriteFile(args[0]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	if limited() {
		return
	}
	if dir := os.Getenv("PEGASIMD_TEST_DISCARD"); dir != "" {
		exit(discardAll(dir))
	}
	if name := os.Getenv("PEGASIMD_TEST_WRITE"); name != "" {
		exit(atomicfile.WriteFile(name, func(w io.Writer) error {
			_, err := io.WriteString(w, "new\n")
			return err
		}))
	}
	os.Exit(m.Run())
}

func exit(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// model returns model number n of several: all its weights are n.
func model(features, n int) *pegasos.Model {
	w := make([]float32, features)
	for j := range w {
		w[j] = float32(n)
	}
	return &pegasos.Model{
		Classes: []float32{-1, 1}, Weights: [][]float32{w}, Bias: []float64{float64(n)}, Lambda: 1,
	}
}

// number returns which of the models a file has, and fails unless it is one of them.
func number(t *testing.T, name string, features int) int {
	t.Helper()
	m, err := pegasos.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n := int(m.Bias[0])
	if m.Cols() != features {
		t.Fatalf("%d features, want %d", m.Cols(), features)
	}
	for j, w := range m.Weights[0] {
		if w != float32(n) {
			t.Fatalf("model %d has the weight %v at %d: it is half of one and half of another",
				n, w, j)
		}
	}
	return n
}

// A process that is killed while it saves leaves the old model or the new one.
func TestKilledWhileSaving(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 10
	}
	for _, features := range []int{10, 1 << 20} {
		t.Run(fmt.Sprintf("features=%d", features), func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "model")
			if err := model(features, 0).WriteFile(name); err != nil {
				t.Fatal(err)
			}
			last, saved := 0, 0
			for range kills {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(),
					fmt.Sprintf("PEGASIMD_TEST_SAVE=%s %d %d", name, features, last+1))
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
					t.Fatalf("%q, %v", line, err)
				}
				time.Sleep(time.Duration(rand.Int64N(int64(30 * time.Millisecond))))
				cmd.Process.Kill()
				if err := cmd.Wait(); err == nil {
					t.Fatal("it ended by itself")
				}
				n := number(t, name, features)
				if n < last {
					t.Fatalf("model %d after model %d", n, last)
				}
				saved += n - last
				last = n
			}
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range left {
				if base := filepath.Base(path); base != "model" &&
					!(strings.HasPrefix(base, "model.") && strings.HasSuffix(base, ".tmp")) {
					t.Errorf("left behind: %s", base)
				}
			}
			t.Logf("killed %d times among %d saves; %d times a temporary file was left",
				kills, saved, len(left)-1)
			// Leftover files do not hinder the next save.
			if err := model(features, last+1).WriteFile(name); err != nil ||
				number(t, name, features) != last+1 {
				t.Error(err)
			}
		})
	}
}
