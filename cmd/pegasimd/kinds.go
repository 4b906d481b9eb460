package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/files"
	"github.com/pegasimd/pegasimd/internal/modelfile"
)

// A kind says what a file is that a command may replace, by its first bytes: an older one of what
// it is to write. The zero kind has yet to be found out.
type kind struct {
	name string // as messages have it
	is   func(head []byte) bool
}

// headBytes is how much of a file tells its kind.
const headBytes = 4096

// headOf returns the first bytes of a file, or of what it holds if it is compressed.
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
		err = nil // what is damaged further on is told by whoever reads it
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
		dataset.FormatCSV:      {"CSV data", isCSV},
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

// isSvmlight reports whether all lines look like a label and pairs, and one has a pair.
func isSvmlight(head []byte) bool {
	pairs := false
	for _, line := range wholeLines(head) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if _, err := strconv.ParseFloat(words[0], 64); err != nil {
			return false
		}
		if len(head) >= headBytes && len(words) > 2 {
			words = words[:len(words)-1] // of a single line, it may have been cut
		}
		for _, word := range words[1:] {
			index, _, ok := strings.Cut(word, ":")
			if _, err := strconv.ParseUint(index, 10, 64); !ok || err != nil && index != "qid" {
				return false
			}
			pairs = true
		}
	}
	return pairs
}

// isCSV reports whether the first line is cells of which the first has a number: what is written
// here has no header.
func isCSV(head []byte) bool {
	cell, _, several := strings.Cut(wholeLines(head)[0], ",")
	_, err := strconv.ParseFloat(cell, 64)
	return several && err == nil
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
