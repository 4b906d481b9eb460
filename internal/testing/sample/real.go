package sample

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// DataDir returns the directory of the public data sets, $PEGASIMD_DATA, or "" if it is not set.
func DataDir(t testing.TB) string {
	dir := os.Getenv("PEGASIMD_DATA")
	if dir == "" {
		t.Log("PEGASIMD_DATA is not set: NOTHING WAS TESTED ON REAL DATA")
	}
	return dir
}

// ReadSet reads files, whose names are separated by commas, from the directory dir, with the given
// number of features; 0 means the number in the files.
func ReadSet(t testing.TB, dir, name string, features int) (store.Examples, []float32) {
	t.Helper()
	files := strings.Split(name, ",")
	for i, f := range files {
		files[i] = filepath.Join(dir, filepath.FromSlash(f))
	}
	s, err := dataset.Read(strings.Join(files, ","), dataset.Options{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	return s.Examples(), s.Y
}
