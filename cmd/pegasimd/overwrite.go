package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/modelio/gofile"
)

// A kind recognises, by its first bytes, a file that a command is allowed to overwrite: one that
// shows that it is ours. Where the form has no place to show it, the function is nil.
type kind struct {
	name string // as messages have it
	is   func(head []byte) bool
}

// headBytes is how much of a file is looked at.
const headBytes = 4096

// headOf returns the first bytes of a file after decompression. It reads only regular files, as
// others can't be read twice.
func headOf(name string) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.ErrUnsupported)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, _, err := files.Unpack(f, "", decompressors...)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(plain, headBytes))
	if len(head) > 0 {
		err = nil // the command that reads the file reports damage further on
	}
	return head, err
}

// beginsWith makes a kind of files that begin with one of some texts.
func beginsWith(name string, texts ...string) kind {
	return kind{name, func(head []byte) bool {
		return slices.ContainsFunc(texts, func(t string) bool {
			return bytes.HasPrefix(head, []byte(t))
		})
	}}
}

var (
	modelKind  = beginsWith("a model of pegasimd", modelfile.Linear.Magic, modelfile.Kernel.Magic)
	reportKind = beginsWith("what -json writes", jsonMark+"-json\"")

	// modelKinds has the forms of convert -to.
	modelKinds = map[string]kind{
		"":     modelKind,
		"json": beginsWith("a model in JSON", "{\n  \"format\": \"pegasimd model\""),
		"go":   beginsWith("a Go file of convert -to go", gofile.Header),
		"onnx": {"an ONNX model of pegasimd", func(head []byte) bool {
			return head[0] == 8 && bytes.Contains(head[:min(len(head), 64)], []byte("pegasimd"))
		}},
	}

	dataKinds = map[dataset.Format]kind{
		dataset.FormatPGSM: beginsWith("a .pgsm file", "PGSM\r\n\x1a\n"),
	}

	pictureKind = kind{"a picture of pegasimd", func(head []byte) bool {
		return bytes.Contains(head, []byte(svgMark))
	}}
)

// Marks show that a file is ours: the first key of JSON, whose value goes on with the flag that named
// the file, and a comment.
const (
	jsonMark = "{\n  \"made_by\": \"pegasimd "
	svgMark  = "<!-- Drawn by pegasimd -->"
)

// holdsModel reports whether a file begins as models do, also a compressed one. Of standard input
// the flags keep what has been read.
func (c *call) holdsModel(name string) (bool, error) {
	if name != "-" {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return false, nil // what is read of a pipe is gone
		}
		head, err := headOf(name) // whoever reads it next reports the error
		return err == nil && modelKind.is(head), nil
	}
	f, err := openInput(name, os.Stdin)
	if err != nil {
		return false, err
	}
	buffered, _, ok := modelfile.Peek(f, modelfile.Linear, modelfile.Kernel)
	c.flags.Data.Stdin = buffered
	return ok, nil
}

// proofKind is what train -proof writes.
var proofKind = beginsWith("a proof of pegasimd", "pegasimd proof ")
