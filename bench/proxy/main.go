// Command proxy writes a module proxy, a folder for GOPROXY=file://, that has every module of this
// repository as it would be published: what git knows of the tree, and new files that it does not
// ignore. scripts/with-proxy.sh uses it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
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
	if err := write(*root, *version, *out); err != nil {
		log.Fatal(err)
	}
}

// A file implements zip.File.
type file struct {
	name   string // in the module
	source string
}

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.source) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.source) }

// write adds all modules of the repository to the proxy.
func write(root, version, out string) error {
	names, err := list(root)
	if err != nil {
		return err
	}
	folders := map[string]bool{} // those with a go.mod
	for _, name := range names {
		if path.Base(name) == "go.mod" {
			folders[path.Dir(name)] = true
		}
	}
	byModule := map[string][]zip.File{}
	for _, name := range names {
		folder := path.Dir(name)
		for !folders[folder] && folder != "." {
			folder = path.Dir(folder)
		}
		inside := strings.TrimPrefix(name, folder+"/")
		byModule[folder] = append(byModule[folder], file{inside, filepath.Join(root, name)})
	}
	for folder, files := range byModule {
		if err := publish(root, folder, version, out, files); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

// list returns the files of the tree, as git names them.
func list(root string) (names []string, err error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(text), "\x00"), "\x00") {
		_, err := os.Lstat(filepath.Join(root, name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted, and the deletion is not committed
		case err != nil:
			return nil, err
		default:
			names = append(names, name)
		}
	}
	return names, nil
}

// publish writes one module, with the four files that the protocol asks for.
func publish(root, folder, version, out string, files []zip.File) error {
	text, err := os.ReadFile(filepath.Join(root, folder, "go.mod"))
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath(text), Version: version}
	if m.Path != prefix && !strings.HasPrefix(m.Path, prefix+"/") {
		return nil // it is not to be published
	}
	// The go command gives a module without a license that of the repository.
	if !has(files, "LICENSE") {
		files = append(files, file{"LICENSE", filepath.Join(root, "LICENSE")})
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, m, files); err != nil {
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
	dir := filepath.Join(out, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": info,
		version + ".mod":  text,
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	fmt.Printf("%s@%s: %d files, %d KiB\n", m.Path, version, len(files), archive.Len()>>10)
	return nil
}

func has(files []zip.File, name string) bool {
	for _, f := range files {
		if f.Path() == name {
			return true
		}
	}
	return false
}
