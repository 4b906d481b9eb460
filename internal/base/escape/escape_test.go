package escape

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"red apple": "red apple", "日本": "日本", "a:b": "a:b", `it's "it"`: `it's "it"`,
		"": `""`, `"a"`: `"\"a\""`, "a\nb": `"a\nb"`, "a\tb": `"a\tb"`,
		"\x1b[2J": `"\x1b[2J"`, "\u009b2J": `"\u009b2J"`, "\x7f": `"\x7f"`, "\xff": `"\xff"`,
		"\u202eabc": `"\u202eabc"`, "a\u200db": `"a\u200db"`,
	} {
		if have := Names([]string{name})[0]; have != want {
			t.Errorf("%q: %s, want %s", name, have, want)
		}
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		`open "a": no such file`: `open "a": no such file`, "a\x1b[2J\nb": `a\x1b[2J\nb`,
		"\x9b日\u009b": `\x9b日\u009b`, "\ufffd": "\ufffd", "": "",
	} {
		if have := Text(text); have != want {
			t.Errorf("%q: %s, want %s", text, have, want)
		}
	}
}

func TestJSON(t *testing.T) {
	names := []string{"\u007f\u009b2J\u202e", "\U000e0001 日本", "plain", "\x1b\n"}
	text, err := json.MarshalIndent(names, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `[
  "\u007f\u009b2J\u202e",
  "\udb40\udc01 日本",
  "plain",
  "\u001b\n"
]`
	have := JSON(text)
	if string(have) != want {
		t.Errorf("%s\nwant\n%s", have, want)
	}
	var again []string
	if err := json.Unmarshal(have, &again); err != nil || again[1] != names[1] ||
		again[0] != names[0] {
		t.Errorf("%q, %v", again, err)
	}
}

func TestError(t *testing.T) {
	if Error(nil) != nil || Error(io.EOF) != io.EOF {
		t.Error("Error changes nil or a printable error")
	}
	for _, word := range []string{"\x1b[31m\n\u202e", "\xff", strings.Repeat("ø", 1000)} {
		err := Error(fmt.Errorf("a word %s: want another: %w", word, io.EOF))
		text := err.Error()
		if !errors.Is(err, io.EOF) || len(text) > 300 || Text(text) != text ||
			!strings.HasPrefix(text, "a word ") || !strings.HasSuffix(text, ": want another: EOF") {
			t.Errorf("%q: %s", word, text)
		}
	}
	long := strings.Repeat("x", 40)
	if Cut("short") != "short" || Cut([]byte(long+"x")) != long+"..." {
		t.Error("Cut changes a short word, or does not cut after 40 bytes")
	}
}
