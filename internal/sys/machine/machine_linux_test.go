package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMemory(t *testing.T) {
	const meminfo = "MemFree: 1 kB\nMemTotal:   1000 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"machine": {map[string]string{"proc/self/cgroup": "0::/a\n"}, 1000 << 10},
		"v2": {map[string]string{"proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "4096\n"}, 4096},
		"v1": {map[string]string{"proc/self/cgroup": "3:cpu:/x\n2:memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "8192\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n"}, 8192},
		"container": {map[string]string{"proc/self/cgroup": "0::/outside\n",
			"sys/fs/cgroup/memory.max": "512\n"}, 512},
		"nothing": {map[string]string{"proc/meminfo": ""}, 0},
	} {
		dir := t.TempDir() + "/"
		if _, ok := c.files["proc/meminfo"]; !ok {
			c.files["proc/meminfo"] = meminfo
		}
		for file, text := range c.files {
			if err := os.MkdirAll(filepath.Dir(dir+file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir+file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if have := memoryOf(dir, "MemTotal:"); have != c.want {
			t.Errorf("%s: %d bytes, want %d", name, have, c.want)
		}
	}
	if all := Memory(); all < 1<<20 {
		t.Errorf("%d bytes here", all)
	}
	if free := Free(); !(free <= float64(Memory()) && Spare() <= free) {
		t.Errorf("%v bytes free, %v to spare", free, Spare())
	}
}
