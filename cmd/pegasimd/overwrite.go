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

// kind recognizes files that pegasimd wrote, and may overwrite, by their first bytes. Formats
// without a place for a mark have no function.
type kind struct {
	name string // in messages
	is   func(head []byte) bool
}

const headBytes = 4096

// headOf returns up to headBytes bytes of a file after decompression. It only reads regular files,
// since other files can't be read twice.
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
		err = nil // the command that reads the whole file reports later damage
	}
	return head, err
}

func beginsWith(name string, texts ...string) kind {
	return kind{name, func(head []byte) bool {
		return slices.ContainsFunc(texts, func(t string) bool {
			return bytes.HasPrefix(head, []byte(t))
		})
	}}
}

var (
	modelKind  = beginsWith("a model of pegasimd", modelfile.Linear.Magic, modelfile.Kernel.Magic)
	reportKind = beginsWith("a report written by -json", jsonMark+"-json\"")

	// Keys are the formats of convert -to. Files of liblinear have no mark.
	modelKinds = map[string]kind{
		"":     modelKind,
		"json": beginsWith("a JSON file of convert -to json", "{\n  \"format\": \"pegasimd model\""),
		"go":   beginsWith("a Go file of convert -to go", gofile.Header),
		"onnx": {"an ONNX model of pegasimd", func(head []byte) bool {
			return bytes.HasPrefix(head, []byte{8}) &&
				bytes.Contains(head[:min(len(head), 64)], []byte("pegasimd"))
		}},
	}

	dataKinds = map[dataset.Format]kind{
		dataset.FormatPGSM: beginsWith("a .pgsm file", "PGSM\r\n\x1a\n"),
	}

	pictureKind = kind{"a picture of pegasimd", func(head []byte) bool {
		return bytes.Contains(head, []byte(svgMark))
	}}
)

// Marks show that pegasimd wrote a file. The value of made_by ends in the flag that named the
// file.
const (
	jsonMark = "{\n  \"made_by\": \"pegasimd "
	svgMark  = "<!-- Drawn by pegasimd -->"
)

// holdsModel keeps the bytes read from standard input in flags.Data.Stdin.
func (c *call) holdsModel(name string) (bool, error) {
	if name != "-" {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return false, nil // reading would consume data of a pipe
		}
		head, err := headOf(name) // the next reader of the file reports the error
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

var proofKind = beginsWith("a proof of pegasimd", "pegasimd proof ")
