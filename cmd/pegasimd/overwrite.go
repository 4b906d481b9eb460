package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/files"
	"github.com/pegasimd/pegasimd/internal/modelfile"
)

// A kind recognises, by its first bytes, a file that a command is allowed to overwrite. The zero
// kind has yet to be found out.
type kind struct {
	name string // as messages have it
	is   func(head []byte) bool
}

// headBytes is how much of a file is looked at.
const headBytes = 4096

// headOf returns the first bytes of a file after decompression.
func headOf(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, _, err := files.Unzip(f, false)
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
	modelKind = beginsWith("a model of pegasimd", modelfile.Linear.Magic, modelfile.Kernel.Magic)
	curveKind = beginsWith("a table of -curve", "epoch,steps,seconds,")

	// reportKind is what -json writes, by its first key.
	reportKind = jsonKind("what -json writes", "objective", "folds", "metric", "accuracy", "file",
		"rows", "verdict", "version")
	scaleKind = jsonKind("a scale that -save wrote", "kind")

	// modelKinds has the forms of convert -to.
	modelKinds = map[string]kind{
		"": modelKind,
		"liblinear": beginsWith("a model of liblinear", "solver_type ", "nr_class ", "label ",
			"nr_feature ", "bias "),
		"json": jsonKind("a model in JSON", "format"),
		"onnx": {"an ONNX model of pegasimd", func(head []byte) bool {
			return head[0] == 8 && bytes.Contains(head[:min(len(head), 64)], []byte("pegasimd"))
		}},
	}

	dataKinds = map[dataset.Format]kind{
		dataset.FormatSvmlight: {"svmlight data", isSvmlight},
		dataset.FormatCSV:      {"CSV data", csvLine.Match},
		dataset.FormatNPY:      beginsWith("a .npy array", "\x93NUMPY"),
		dataset.FormatPGSM:     beginsWith("a .pgsm file", "PGSM\r\n\x1a\n"),
	}

	pictureKind = kind{"a picture", func(head []byte) bool {
		text := bytes.HasPrefix(head, []byte("<?xml")) || bytes.HasPrefix(head, []byte("<svg"))
		return text && bytes.Contains(head, []byte("<svg")) ||
			bytes.HasPrefix(head, []byte("\x89PNG\r\n")) || bytes.HasPrefix(head, []byte("%PDF-"))
	}}
)

// jsonKind makes a kind of JSON objects whose first key is one of some.
func jsonKind(name string, keys ...string) kind {
	return kind{name, func(head []byte) bool {
		rest, object := bytes.CutPrefix(head, []byte("{"))
		rest, text := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(`"`))
		key, _, whole := bytes.Cut(rest, []byte(`"`))
		return object && text && whole && slices.Contains(keys, string(key))
	}}
}

// wholeLines returns the lines of the head of a file, all but one that may have been cut.
func wholeLines(head []byte) []string {
	lines := strings.Split(string(head), "\n")
	if len(head) >= headBytes && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var (
	csvLine      = regexp.MustCompile(`\A[-+]?[\d.][-+.\w]*,`)
	svmlightLine = regexp.MustCompile(
		`^([-+]?[\d.][-+.\w]*( +(qid|\d+):\S*)*( +(qid|\d+)?)?)?\s*(#.*)?$`)
)

// isSvmlight reports whether all lines look like a label and pairs, and one has a pair.
func isSvmlight(head []byte) bool {
	pairs := false
	for _, line := range wholeLines(head) {
		if !svmlightLine.MatchString(line) {
			return false
		}
		pairs = pairs || strings.Contains(line, ":")
	}
	return pairs
}

// predictionsOf is the kind of what predict writes: lines that begin with one of the classes, or
// with a number if there are none.
func predictionsOf(classes []string) kind {
	known := map[string]bool{}
	for _, name := range classes {
		known[name] = true
	}
	return kind{"predictions of this model's classes", func(head []byte) bool {
		lines := wholeLines(head)
		if strings.HasPrefix(lines[0], "label\t") {
			lines = lines[1:]
		}
		for i, line := range lines {
			label, _, _ := strings.Cut(line, "\t")
			_, err := strconv.ParseFloat(label, 64)
			end := label == "" && i == len(lines)-1
			if !end && !known[label] && (classes != nil || err != nil) {
				return false
			}
		}
		return true
	}}
}
