package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func zip(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func nameOf(must bool) string {
	if must {
		return "a.svm.gz"
	}
	return "a.svm"
}

func TestUnpack(t *testing.T) {
	const text = "1 1:2\n"
	once := zip(t, text)
	twice := zip(t, once)
	for name, c := range map[string]struct {
		file   string
		must   bool
		want   string
		packed int // compressed bytes; -1 for none
	}{
		"plain": {text, false, text, -1}, "empty": {"", false, "", -1},
		"short": {"a", false, "a", -1},
		"gzip":  {once, false, text, len(once)}, "only gzip": {once, true, text, len(once)},
		"twice": {twice, false, once, len(twice)},
	} {
		r, zipped, err := Unpack(strings.NewReader(c.file), nameOf(c.must))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		have, err := io.ReadAll(r)
		n, packed := Packed(r)
		if err != nil || string(have) != c.want || zipped != (c.packed >= 0) || packed != zipped ||
			packed && n != int64(c.packed) || !packed && n != 0 {
			t.Errorf("%s: %q, gzip %v, %d bytes packed, %v", name, have, zipped, n, err)
		}
	}
	outer, _, err := Unpack(strings.NewReader(twice), "a.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, inner := range []bool{true, false} { // the second Unpack finds plain text
		if outer, _, err = Unpack(outer, nameOf(inner)); err != nil {
			t.Fatal(err)
		}
	}
	have, err := io.ReadAll(outer)
	if n, packed := Packed(outer); string(have) != text || err != nil || !packed ||
		n != int64(len(twice)) {
		t.Errorf("gzip in gzip: %q, %v, %d of %d bytes", have, err, n, len(twice))
	}
}

func TestUnpackErrors(t *testing.T) {
	broken := errors.New("broken")
	once := zip(t, "1 1:2\n")
	for name, c := range map[string]struct {
		r    io.Reader
		must bool
		want error
	}{
		"not gzip": {strings.NewReader("1 1:2\n1 1:2\n"), true, gzip.ErrHeader},
		"empty":    {strings.NewReader(""), true, io.ErrUnexpectedEOF},
		"cut":      {strings.NewReader(once[:2]), false, io.ErrUnexpectedEOF},
		"no bytes": {iotest.ErrReader(broken), false, broken},
		"few bytes": {io.MultiReader(strings.NewReader(once[:5]), iotest.ErrReader(broken)), true,
			broken},
	} {
		if r, zipped, err := Unpack(c.r, nameOf(c.must)); !errors.Is(err, c.want) || r != nil || zipped {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if n, packed := Packed(strings.NewReader("")); n != 0 || packed {
		t.Errorf("Packed of a plain reader: %d, %v", n, packed)
	}
}

func TestUnpackFormats(t *testing.T) {
	upper := Decompressor{"UP", ".up", func(r io.Reader) (io.ReadCloser, error) {
		text, err := io.ReadAll(r)
		return io.NopCloser(bytes.NewReader(bytes.ToLower(text))), err
	}}
	other := Decompressor{"\x1f\x8b\x08", ".gz", upper.Open}
	for _, c := range []struct{ file, name, want string }{
		{"UP A", "a.svm", "up a"}, {"UP A", "a.gz", "up a"}, {"A", "a.svm.up", "a"}, {"A", "up", "A"},
		{"U", "a", "U"}, {zip(t, "1 1:2\n"), "a.up", strings.ToLower(zip(t, "1 1:2\n"))},
	} {
		r, packed, err := Unpack(strings.NewReader(c.file), c.name, upper, other)
		if err != nil {
			t.Fatal(err)
		}
		if have, err := io.ReadAll(r); err != nil || string(have) != c.want || packed == (c.want == c.file) {
			t.Errorf("%q called %s: %q, %v", c.file, c.name, have, err)
		}
	}
	if _, _, err := Unpack(strings.NewReader(""), "a.up", upper); !errors.Is(err,
		io.ErrUnexpectedEOF) || !strings.HasSuffix(err.Error(), "the file is empty") {
		t.Error(err)
	}
	for name, want := range map[string]string{"a.csv.gz": "a.csv", "a.bz2": "a", "a.svm.zst": "a.svm",
		"a.csv": "a.csv", "gz": "gz"} {
		if have := PlainName(name); have != want {
			t.Errorf("%s: %s", name, have)
		}
	}
}
