package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

func (c *call) findInputs() {
	add := func(what, name string) {
		isOutput := func(o *output) bool { return o.what == what }
		if name == "" || slices.ContainsFunc(c.outputs, isOutput) {
			return
		}
		c.inputs = append(c.inputs, inputFile{what, name})
		if first, second, pair := strings.Cut(name, ","); pair { // data may be in two files
			c.inputs = append(c.inputs, inputFile{what, first}, inputFile{what, second})
		}
	}
	for i, name := range c.args {
		add(c.roles[i], name)
	}
	for _, f := range c.flags.Each() {
		if f.Takes == "file" {
			for _, name := range c.flags.All(f) {
				add("-"+f.Name, name)
			}
		}
	}
	c.collectWithinInputs()
}

// collectWithinInputs sets the garbage collector's limit by the size of the inputs, unless the size
// of an input is unknown, or flags or GOMEMLIMIT determine the memory.
func (c *call) collectWithinInputs() {
	if slices.ContainsFunc(strings.Fields("kernel max-memory max-features hash-bits"), c.flags.Given) {
		return
	}
	total := int64(0)
	for _, in := range c.inputs {
		if _, err := os.Stat(in.name); err != nil && in.name != "-" {
			continue // a pair of names, or an error that is reported later
		}
		size, known := unpackedSize(in.name)
		if !known {
			return
		}
		total += size
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		collectAbove(budget.Allowed(total, 0) - uncounted)
	}
}

// known is false unless the file is regular, readable and not compressed.
func unpackedSize(name string) (size int64, known bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	_, zipped, err := files.Unpack(f, name, decompressors...)
	return info.Size(), err == nil && !zipped
}

type opened struct {
	io.Reader
	io.Closer
}

// Packed makes files.Packed return the result for the wrapped reader.
func (o opened) Packed() (int64, bool) { return files.Packed(o.Reader) }

func openInput(name string, stdin io.Reader) (io.ReadCloser, error) {
	from := io.NopCloser(stdin)
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		from = f
	}
	plain, _, err := files.Unpack(from, name, decompressors...)
	if err != nil {
		from.Close()
		return nil, fmt.Errorf("%s: %w", inputName(name), err)
	}
	return opened{plain, from}, nil
}

func readAs[T any](name string, stdin io.Reader, read func(io.Reader) (T, error)) (v T, err error) {
	r, err := openInput(name, stdin)
	if err != nil {
		return v, err
	}
	defer r.Close()
	v, err = read(r)
	var at *modelio.SyntaxError
	switch {
	case errors.As(err, &at):
		err = fmt.Errorf("%s:%d:%d: %s", inputName(name), at.Line, at.Column, at.Reason)
	case err != nil:
		err = fmt.Errorf("%s: %w", inputName(name), err)
	}
	return v, err
}

func readModel(name string, stdin io.Reader) (modelio.Predictor, error) {
	m, err := readAs(name, stdin, modelio.Read)
	return m, likeForeign(name, err)
}

// If the name is empty, readLinearModel returns nil.
func readLinearModel(name string) (*pegasos.Model, error) {
	m, err := readNamed(name, pegasos.Read)
	return m, likeForeign(name, err)
}

// likeForeign adds to an error of reading a model which format the file appears to have.
func likeForeign(name string, err error) error {
	if err == nil {
		return nil
	}
	head, unread := headOf(name)
	switch {
	case unread != nil:
	case bytes.HasPrefix(head, []byte("solver_type ")):
		return fmt.Errorf("%w: it begins like a model of liblinear, which convert -from "+
			"liblinear reads", err)
	case modelKinds["json"].is(head):
		return fmt.Errorf("%w: it begins like a model in JSON, which convert -from json reads", err)
	}
	return err
}

// If the name is empty, readNamed returns the zero value.
func readNamed[T any](name string, read func(io.Reader) (T, error)) (v T, err error) {
	if name == "" {
		return v, nil
	}
	return readAs(name, os.Stdin, read)
}
