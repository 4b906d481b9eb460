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

	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
)

// If PEGASIMD_TEST_SAVE is PATH LINES FIRST, TestMain saves versions FIRST, FIRST+1 ... of a file
// until the process is killed.
func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv("PEGASIMD_TEST_SAVE")); len(args) == 3 {
		lines, _ := strconv.Atoi(args[1])
		n, _ := strconv.Atoi(args[2])
		fmt.Println("ready")
		for ; ; n++ {
			if err := save(args[0], lines, n); err != nil {
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

func save(name string, lines, n int) error {
	return atomicfile.WriteFile(name, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		line := fmt.Sprintf("%08d\n", n)
		for range lines {
			b.WriteString(line)
		}
		return b.Flush()
	})
}

func version(t *testing.T, name string, lines int) int {
	t.Helper()
	content := text(t, name)
	if len(content) != 9*lines {
		t.Fatalf("%d bytes, want %d", len(content), 9*lines)
	}
	n, err := strconv.Atoi(content[:8])
	if err != nil || content != strings.Repeat(content[:9], lines) {
		t.Fatalf("parts of different versions, the first of version %d: %v", n, err)
	}
	return n
}

func TestKilledWhileSaving(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 10
	}
	for _, lines := range []int{10, 1 << 20} {
		t.Run(fmt.Sprintf("lines=%d", lines), func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "file")
			if err := save(name, lines, 0); err != nil {
				t.Fatal(err)
			}
			last, saved := 0, 0
			for range kills {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(),
					fmt.Sprintf("PEGASIMD_TEST_SAVE=%s %d %d", name, lines, last+1))
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
					t.Fatal("the process ended by itself")
				}
				n := version(t, name, lines)
				if n < last {
					t.Fatalf("version %d after version %d", n, last)
				}
				saved += n - last
				last = n
			}
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range left {
				if base := filepath.Base(path); base != "file" &&
					!(strings.HasPrefix(base, "file.") && strings.HasSuffix(base, ".tmp")) {
					t.Errorf("left behind: %s", base)
				}
			}
			t.Logf("killed %d times among %d saves; %d times a temporary file was left",
				kills, saved, len(left)-1)
			if err := save(name, lines, last+1); err != nil ||
				version(t, name, lines) != last+1 {
				t.Error(err)
			}
		})
	}
}
