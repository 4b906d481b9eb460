package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
)

func (c *call) openOutputs() error {
	c.findInputs()
	if err := c.checkStdio(); err != nil {
		return err
	}
	for i, o := range c.outputs {
		if err := o.check(c.outputs[:i]); err != nil {
			return err
		}
	}
	for _, o := range c.outputs {
		if err := o.open(); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) checkStdio() error {
	in, out := "", ""
	for _, i := range c.inputs {
		if i.name == "-" && in != "" {
			return flags.Usagef("%s and %s can't both be standard input", in, i.what)
		} else if i.name == "-" {
			in = i.what
		}
	}
	for _, o := range c.outputs {
		if o.name == "-" && out != "" {
			return flags.Usagef("%s and %s can't both be standard output", out, o.what)
		} else if o.name == "-" {
			out = o.what
		}
	}
	return nil
}

func (o *output) check(others []*output) error {
	info, direct := o.old()
	if direct {
		return nil
	}
	place, err := placeOf(o.name)
	if err != nil {
		return err
	}
	for _, other := range others {
		at, err := placeOf(other.name)
		if other.name != "-" && err == nil && (at == place || sameFile(info, other.name)) {
			return flags.Usagef("%s and %s are the same file, %s", other.what, o.what, o.name)
		}
	}
	if info == nil || o.call.flags.Force {
		return nil
	}
	for _, in := range o.call.inputs {
		resumed := in.what == "-resume" && o.what == "-checkpoint" // may replace its checkpoint
		if sameFile(info, in.name) && !resumed {
			return flags.Usagef("%s: %s is also read, as %s: %s", o.what, o.name, in.what, o.instead())
		}
	}
	if err := writable(o.name); err != nil {
		how := "name another file"
		if f, err := atomicfile.Create(o.name); err == nil { // the folder is not write-protected
			f.Discard()
			how += ", or replace it with -force"
		}
		return fmt.Errorf("%s: %w: %s", o.what, err, how)
	}
	return o.checkKind(info)
}

// instead advises on an output that is also an input: -force only for a file of the output's kind,
// because other inputs would be lost.
func (o *output) instead() string {
	if head, err := headOf(o.name); err == nil && o.kind.is != nil && o.kind.is(head) {
		return "name another file, or replace it with -force"
	}
	return "name another file"
}

// old returns the file under the output's name, or nil. direct tells that the output is written in
// place: standard output, an open file, or a file that is not regular.
func (o *output) old() (info fs.FileInfo, direct bool) {
	info, err := os.Stat(o.name)
	if o.name == "-" || err == nil && !info.Mode().IsRegular() {
		return nil, true
	}
	if err != nil {
		return nil, false // if the file exists, creating the output reports the error
	}
	_, open, err := atomicfile.Target(o.name)
	return info, err == nil && open
}

func (o *output) checkKind(info fs.FileInfo) error {
	head, err := headOf(o.name)
	switch {
	case info.Size() == 0:
	case o.kind.is == nil:
		return flags.Usagef("%s: %s exists, and its format can't show whether pegasimd wrote it: "+
			"name another file, or replace it with -force", o.what, o.name)
	case err != nil:
		return flags.Usagef("%s: %s exists and can't be read: %w: name another file, or replace it with "+
			"-force", o.what, o.name, err)
	case !o.kind.is(head):
		return flags.Usagef("%s: %s exists and is not %s: name another file, or replace it with -force",
			o.what, o.name, o.kind.name)
	}
	return nil
}

// placeOf returns a canonical path for a file that need not exist.
func placeOf(name string) (string, error) {
	target, _, err := atomicfile.Target(name)
	if err != nil {
		return "", err
	}
	target, err = filepath.Abs(target)
	if err != nil {
		return "", err
	}
	dir, base := filepath.Split(target)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(dir, base), nil
}

func sameFile(info fs.FileInfo, name string) bool {
	other, err := os.Stat(name)
	return info != nil && err == nil && os.SameFile(info, other)
}

// writable returns an error for a write-protected file: renaming could replace even that.
func writable(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func (o *output) open() (err error) {
	if o.name != "-" {
		o.file, err = atomicfile.Create(o.name)
	}
	return err
}

// An error of the output takes precedence over an error of the function write. A further call
// creates the output again.
func (o *output) write(write func(io.Writer) error) error {
	if o == nil {
		return nil
	}
	if o.name == "-" {
		err := write(o.call.stdout)
		if failed := o.call.stdout.err; failed != nil {
			return failed
		}
		return err
	}
	if o.file == nil {
		if err := o.open(); err != nil {
			return err
		}
	}
	f := o.file
	o.file = nil
	defer f.Discard() // no effect after Commit
	err := write(f)
	if failed := f.Err(); failed != nil {
		return failed
	}
	if err == nil {
		err = o.call.stopped()
	}
	if err != nil {
		return err
	}
	return f.Commit()
}

func (o *output) writeJSON(v any) error {
	return o.write(func(w io.Writer) error {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s%s\",%s\n", jsonMark, o.what, escape.JSON(text)[1:])
		return err
	})
}
