package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// This file adds to a tree some files that Go projects use without committing them. It adds no
// other ignored Go code: generated code may differ in base and head. A tree's folder mirrors the
// file system, so that relative paths out of the repository work.

func (t *tree) real(path string) string { return strings.TrimPrefix(path, t.mirror) }

// borrow links a file or folder into the mirror, unless the tree has it. Of a folder that contains
// the repository, it links the other entries. It skips files of the repository that git does not
// ignore: they are new in the head.
func (t *tree) borrow(ctx context.Context, path string) error {
	to := filepath.Join(t.mirror, path)
	if entries, err := os.ReadDir(to); err == nil && len(entries) == 0 {
		if err := os.Remove(to); err != nil { // git leaves an empty folder for a nested repository
			return err
		}
	}
	if _, err := os.Lstat(to); err == nil {
		if !strings.HasPrefix(t.repository, path+"/") {
			return nil
		}
		entries, err := os.ReadDir(path) // path contains the repository
		for _, e := range entries {
			if child := filepath.Join(path, e.Name()); err == nil && child != t.repository {
				err = t.borrow(ctx, child)
			}
		}
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil // the go command reports what is missing
	}
	if strings.HasPrefix(path, t.repository+"/") {
		if _, err := git(ctx, t.repository, "check-ignore", "-q", "--", path); err != nil {
			return ctx.Err()
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	t.borrowed = append(t.borrowed, path)
	return os.Symlink(path, to)
}

func (t *tree) borrowAll(ctx context.Context, dir string) error {
	if err := t.borrowLinked(ctx); err != nil {
		return err
	}
	ignored, err := git(ctx, t.repository, "ls-files", "-z", "--others", "--ignored",
		"--exclude-standard", "--", ":(glob)**/testdata/**")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(ignored, "\x00") {
		// Benchmarks may write to the copy.
		to, from := filepath.Join(t.root, name), filepath.Join(t.repository, name)
		if _, err := os.Lstat(to); name == "" || err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if info, err := os.Stat(from); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := copyFile(to, from); err != nil {
			return err
		}
		t.borrowed = append(t.borrowed, from)
	}
	if err := t.borrowWorkspace(ctx, filepath.Join(t.repository, dir)); err != nil {
		return err
	}
	return t.borrowModules(ctx, filepath.Join(t.root, dir))
}

func (t *tree) borrowLinked(ctx context.Context) error {
	listed, err := run(ctx, t.repository, t.env, "git", "ls-files", "--stage", "-z")
	for entry := range strings.SplitSeq(listed, "\x00") {
		stage, name, _ := strings.Cut(entry, "\t")
		mode, hash, _ := strings.Cut(stage, " ")
		from, to := filepath.Join(t.repository, name), filepath.Join(t.root, name)
		switch {
		case err != nil:
			return err
		case mode == "160000":
			if _, missing := os.Stat(filepath.Join(from, ".git")); missing != nil {
				continue
			}
			commit, _, _ := strings.Cut(hash, " ")
			sub := tree{name: t.name, mirror: t.mirror, repository: from, root: to, commit: commit}
			err = sub.export(ctx, t.mirror+"-"+commit+".index", t.name == "head")
			if err == nil && t.name == "head" {
				var committed string
				committed, err = git(ctx, from, "rev-parse", commit+"^{tree}")
				if sub.hash != committed { // t.hash does not show it
					t.changed, t.data = true, append(t.data, name)
				}
			}
		case mode == "120000":
			target, failed := os.Readlink(to)
			if failed == nil && !filepath.IsAbs(target) {
				err = t.borrow(ctx, t.real(filepath.Join(filepath.Dir(to), target)))
			}
		}
	}
	return err
}

// borrowWorkspace copies the go.work in use, without missing modules, unless the tree has it.
func (t *tree) borrowWorkspace(ctx context.Context, folder string) error {
	file, err := run(ctx, folder, nil, "go", "env", "GOWORK")
	if file = strings.TrimSpace(file); err != nil || file == "" || file == "off" {
		return nil
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return err
	}
	to := filepath.Join(t.mirror, file)
	if os.Getenv("GOWORK") != "" {
		t.goEnv = []string{"GOWORK=" + to}
	}
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	t.borrowed = append(t.borrowed, file)
	if err := copyFile(to, file); err != nil {
		return err
	}
	if err := copyFile(to+".sum", file+".sum"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mod, err := readModFile(ctx, "work", to)
	for _, use := range mod.Use {
		module := filepath.Join(filepath.Dir(to), use.DiskPath)
		if err == nil {
			err = t.borrow(ctx, t.real(module))
		}
		if _, missing := os.Stat(module); err == nil && missing != nil {
			_, err = run(ctx, t.mirror, nil, "go", "work", "edit", "-dropuse="+use.DiskPath, to)
		}
	}
	return err
}

type modFile struct {
	Use     []struct{ DiskPath string }
	Replace []struct {
		New struct{ Path, Version string }
	}
}

func readModFile(ctx context.Context, kind, file string) (m modFile, err error) {
	out, err := run(ctx, filepath.Dir(file), []string{"GOWORK=off"}, "go", kind, "edit", "-json",
		file)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal([]byte(out), &m)
}

// borrowModules borrows the relative folders in use and replace directives. Faults in the
// directives are left for the go command to report.
func (t *tree) borrowModules(ctx context.Context, folder string) error {
	out, err := run(ctx, folder, t.goEnv, "go", "env", "GOWORK", "GOMOD")
	if err != nil {
		return nil
	}
	work, mod, _ := strings.Cut(strings.TrimSpace(out), "\n")
	files := []string{mod}
	if work != "" && work != "off" {
		files = []string{work}
	}
	for ; len(files) > 0; files = files[1:] {
		folder, kind := filepath.Dir(files[0]), "mod"
		if filepath.Ext(files[0]) == ".work" {
			kind = "work"
		}
		m, err := readModFile(ctx, kind, files[0])
		if err != nil {
			continue
		}
		for _, use := range m.Use {
			module := filepath.Join(folder, use.DiskPath)
			if err := t.borrow(ctx, t.real(module)); err != nil {
				return err
			}
			files = append(files, filepath.Join(module, "go.mod"))
		}
		for _, r := range m.Replace {
			if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
				if err := t.borrow(ctx, t.real(filepath.Join(folder, r.New.Path))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (t *tree) lacks(ctx context.Context, c *config) (names []string) {
	// The build reports errors.
	files, _ := c.sources(ctx, t.repository, nil, "GoFiles", "CgoFiles", "SFiles", "CFiles", "HFiles",
		"TestGoFiles", "XTestGoFiles", "EmbedFiles", "TestEmbedFiles", "XTestEmbedFiles")
	for _, path := range files {
		name, inside := strings.CutPrefix(path, t.repository+"/")
		if _, here := os.Stat(path); !inside || here != nil {
			continue
		}
		if _, missing := os.Stat(filepath.Join(t.root, name)); missing != nil {
			names = append(names, name)
		}
	}
	return names
}
