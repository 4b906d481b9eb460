package certtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
)

// Edit returns a copy of a model or proof file with up to three random changes of header values or
// bits of the body, without the header's hash, and with a correct checksum. It returns nil if the
// file has no header, or a value to change is not JSON.
func Edit(g *rand.Rand, file []byte) []byte {
	end := len(file) - sha256.Size
	head, body, found := bytes.Cut(file[:end], []byte("\n\n"))
	if !found {
		return nil
	}
	lines, body := strings.Split(string(head), "\n"), bytes.Clone(body)
	for range 1 + g.IntN(3) {
		if len(body) > 3 && g.IntN(6) == 0 {
			body[g.IntN(len(body))] ^= 1 << g.IntN(8)
			continue
		}
		at := 1 + g.IntN(len(lines)-1)
		key, text, _ := strings.Cut(lines[at], ": ")
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return nil
		}
		changed, err := json.Marshal(mutate(g, value))
		if err != nil {
			return nil
		}
		lines[at] = key + ": " + string(changed)
	}
	var edit bytes.Buffer
	for _, line := range lines {
		if !strings.HasPrefix(line, "hash: ") {
			edit.WriteString(line + "\n")
		}
	}
	edit.WriteByte('\n')
	edit.Write(body)
	sum := sha256.Sum256(edit.Bytes())
	return append(edit.Bytes(), sum[:]...)
}

// mutate replaces some strings by these words.
var settings = strings.Fields("hinge log squared-hinge eps-insensitive squared ovr ovo crammer-singer " +
	"multinomial none augmented unregularised standard max-abs unit r2 balanced newton dual auto " +
	"last-half shuffled sequential linear rbf polynomial")

// mutate makes at most one random change to a JSON value, which it may overwrite, and returns the
// result.
func mutate(g *rand.Rand, value any) any {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return v
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		// Choose by hash: Go's order of a map's keys is random, whatever the seed.
		key := keys[0]
		for i, pick := 1, g.Uint64(); i < len(keys); i++ {
			if hashOf(keys[i], pick) < hashOf(key, pick) {
				key = keys[i]
			}
		}
		if g.IntN(8) == 0 {
			delete(v, key)
		} else {
			v[key] = mutate(g, v[key])
		}
		return v
	case []any:
		if len(v) == 0 {
			return v
		}
		at := g.IntN(len(v))
		if g.IntN(8) == 0 {
			return append(v[:at], v[at+1:]...)
		}
		v[at] = mutate(g, v[at])
		return v
	case float64:
		return perturb(g, v)
	case bool:
		return !v
	case string:
		layout, rest, isData := strings.Cut(v, ":")
		if isData {
			layouts := []string{"dense", "sparse", "other", "", "wide"}
			if next := layouts[g.IntN(len(layouts))]; next != layout {
				return next + ":" + rest
			}
		}
		return settings[g.IntN(len(settings))]
	}
	return value
}

func hashOf(key string, pick uint64) uint64 {
	for _, c := range []byte(key) {
		pick = (pick ^ uint64(c)) * 0x100000001b3
	}
	return pick
}

func perturb(g *rand.Rand, v float64) float64 {
	switch g.IntN(6) {
	case 0:
		return math.Nextafter(v, math.Inf(1-2*g.IntN(2)))
	case 1:
		return -v
	case 2:
		return math.Trunc(v) + float64(g.IntN(3)-1)
	case 3:
		return 0
	}
	return v * (1 + math.Ldexp(g.NormFloat64(), -g.IntN(40)))
}
