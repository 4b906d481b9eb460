// Command proxy writes a module proxy, a folder for GOPROXY=file://, that has every module of this
// repository as it would be published: what git knows of the tree, and new files that it does not
// ignore. scripts/proxy.sh uses it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// prefix begins the paths of the modules that are published.
const prefix = "github.com/pegasimd/pegasimd"

func main() {
	log.SetFlags(0)
	log.SetPrefix("proxy: ")
	root := flag.String("root", ".", "the `folder` of the repository")
	version := flag.String("version", "v0.1.0", "the version that all modules have")
	out := flag.String("out", "", "the `folder` to write the proxy to")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	work, err := os.MkdirTemp("", "proxy")
	if err == nil {
		err = write(*root, filepath.Join(work, "tree"), *version, *out)
		os.RemoveAll(work)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// write copies the tree, and adds its modules to the proxy.
func write(root, tree, version, out string) error {
	for _, args := range [][]string{{"add", "--all"},
		{"checkout-index", "--all", "--prefix=" + tree + "/"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+tree+".index") // not the user's index
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("git %s: %w", args[0], err)
		}
	}
	license, err := os.ReadFile(filepath.Join(tree, "LICENSE"))
	if err != nil {
		return err
	}
	return filepath.WalkDir(tree, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(name) != "go.mod" {
			return err
		}
		// The go command adds the repository's license to a module without one.
		own := filepath.Join(filepath.Dir(name), "LICENSE")
		if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
			if err := os.WriteFile(own, license, 0o666); err != nil {
				return err
			}
		}
		return publish(filepath.Dir(name), version, out)
	})
}

// publish writes one module, with the four files of the protocol.
func publish(dir, version, out string) error {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath(text), Version: version}
	if m.Path != prefix && !strings.HasPrefix(m.Path, prefix+"/") {
		return nil // not published
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, m, dir); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	to := filepath.Join(out, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": info,
		version + ".mod":  text,
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(to, name), content, 0o666); err != nil {
			return err
		}
	}
	fmt.Printf("%s@%s: %d KiB\n", m.Path, version, archive.Len()>>10)
	return nil
}
