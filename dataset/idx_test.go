package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

func idx(kind byte, data []byte, dims ...uint32) []byte {
	b := []byte{0, 0, kind, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, data...)
}

func readIDXBytes(images, labels []byte, opt Options) (*Set, error) {
	return readPair(images, labels, "i", "l", FormatIDX, opt)
}

func TestIDX(t *testing.T) {
	images := idx(8, []byte{0, 51, 255, 0, 0, 0, 1, 2, 3, 4, 0, 5}, 3, 2, 2)
	labels := idx(8, []byte{7, 0, 255}, 3)
	for _, layout := range []Layout{LayoutAuto, LayoutDense, LayoutSparse} {
		t.Run(string(layout), func(t *testing.T) {
			s, err := readIDXBytes(images, labels, Options{Layout: layout})
			if err != nil {
				t.Fatal(err)
			}
			text := "7 2:51 3:255\n0 3:1 4:2\n255 1:3 2:4 4:5\n"
			want := mustText(t, text, Options{Layout: layout})
			for i := range want.Rows() {
				_, pixels := want.row(i)
				for k := range pixels {
					pixels[k] /= 255
				}
			}
			same(t, s, want)
			if layout != LayoutAuto && s.Layout() != layout {
				t.Errorf("layout %s, want %s", s.Layout(), layout)
			}

			for _, n := range []int{2, 9} {
				_, err := readIDXBytes(images, labels, Options{Layout: layout, Features: n})
				if want := fmt.Sprintf("i: 4 features a row, want %d", n); !says(err, want) {
					t.Errorf("%v, want %s", err, want)
				}
			}
		})
	}
	s, err := readIDXBytes(images, labels, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j, p := range []float32{0, 51, 255, 0} {
		if got := s.Dense.Row(0)[j]; got != p/255 {
			t.Errorf("pixel %d: %v, want %v", j, got, p/255)
		}
	}
	for _, dims := range [][]uint32{{0, 28, 28}, {0, 0}} {
		s, err := readIDXBytes(idx(8, nil, dims...), idx(8, nil, 0), Options{})
		if err != nil || s.Rows() != 0 {
			t.Error(s, err)
		}
	}
	s, err = readIDXBytes(idx(8, nil, 2, 0), idx(8, []byte{1, 2}, 2), Options{})
	if err != nil || s.Rows() != 2 || s.Cols() != 0 {
		t.Error(s, err)
	}
}

func TestIDXErrors(t *testing.T) {
	images := idx(8, []byte{1, 2, 3, 4}, 2, 2)
	labels := idx(8, []byte{7, 0}, 2)
	for _, c := range []struct {
		name           string
		images, labels []byte
		want           string
	}{
		{"empty", nil, labels, "i: header cut off"},
		{"empty labels", images, nil, "l: header cut off"},
		{"header cut off", images[:9], labels, "i: header cut off"},
		{"not IDX", []byte("\x89PNG...."), labels, "i: starts with 89 50 4e 47: not an IDX file"},
		{"no dimensions", idx(8, nil), labels, "i: starts with 00 00 08 00: not an IDX file"},
		{"type", idx(0x0d, []byte{1, 2, 3, 4}, 2, 2), labels,
			"i: elements of type 0x0d: want unsigned bytes, 0x08"},
		{"swapped", labels, images, "i: 1 dimension: want 2 or more for images"},
		{"labels of 2 dimensions", images, images, "l: 2 dimensions: want 1 for labels"},
		{"counts differ", images, idx(8, []byte{7}, 1), "l: the number of labels is 1, but the number of images in i is 2"},
		{"short data", images[:len(images)-1], labels,
			"i: 3 bytes of data where the header says 4"},
		{"short labels", images, labels[:len(labels)-1],
			"l: 1 byte of data where the header says 2"},
		{"extra data", append(bytes.Clone(images), 0), labels,
			"i: more than the 4 bytes of data that the header says"},
		{"extra labels", images, append(bytes.Clone(labels), 0),
			"l: more than the 2 bytes of data that the header says"},
		{"product too large", idx(8, nil, 2, 1<<31, 1<<31, 1<<31), labels,
			"i: dimensions [2 2147483648 2147483648 2147483648]: too large"},
		{"product too large behind a 0", idx(8, nil, 0, 1<<31, 1<<31, 1<<31), labels,
			"i: dimensions [0 2147483648 2147483648 2147483648]: too large"},
		{"too many features", idx(8, nil, 2, 1<<28), labels,
			"i: 268435456 features are beyond the limit of 134217728 (-max-features)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readIDXBytes(c.images, c.labels, Options{})
			if s != nil || err == nil || err.Error() != c.want {
				t.Errorf("%v, want\n%v", err, c.want)
			}
		})
	}
}

func TestIDXMemory(t *testing.T) {
	const n = 1 << 27
	for _, labels := range [][]byte{idx(8, []byte{1}, n), idx(8, make([]byte, 10), 10)} {
		images := idx(8, make([]byte, 1000), binary.BigEndian.Uint32(labels[4:]), n)
		allocated(t, 1<<20, func() {
			if _, err := readIDXBytes(images, labels, Options{}); err == nil {
				t.Error("no error")
			}
		})
	}
}

func FuzzIDX(f *testing.F) {
	f.Add(idx(8, []byte{1, 2, 3, 4}, 2, 2), idx(8, []byte{7, 0}, 2), uint8(0))
	f.Add(idx(8, []byte{1, 2, 3, 4}, 1, 2, 2), idx(8, []byte{7}, 1), uint8(3))
	f.Add(idx(8, nil, 1<<31, 1<<31, 1<<31), idx(8, nil, 1<<31), uint8(0))
	f.Add(idx(8, nil, 3, 0), idx(8, []byte("abc"), 3), uint8(0))
	f.Fuzz(func(t *testing.T, images, labels []byte, features uint8) {
		s, err := readIDXBytes(images, labels, Options{Features: int(features)})
		if err == nil {
			checkSet(t, s)
		} else if !strings.HasPrefix(err.Error(), "i: ") && !strings.HasPrefix(err.Error(), "l: ") {
			t.Fatalf("%v: no file named", err)
		}
	})
}
