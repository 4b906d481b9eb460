package budget

import "testing"

func TestAccount(t *testing.T) {
	a := &Account{Part: Part{Free: 10, PerByte: 3}}
	if !a.Take(10) || a.Take(1) {
		t.Error("before a byte is read, fewer or more than 10 bytes are allowed")
	}
	a.Read(2)
	if a.Take(7) || !a.Take(6) || a.Take(1) {
		t.Error("two bytes read do not allow exactly 6 bytes more")
	}
	if a.Return(4); !a.Take(4) || a.Take(1) {
		t.Error("returned bytes cannot be taken again, or more can")
	}
	if a = nil; !a.Take(1 << 60) {
		t.Error("a nil Account refuses memory")
	}
}

// Elements, Names and Numbers count twice, for garbage, except Numbers beside PackedVectors.
func TestParts(t *testing.T) {
	for _, size := range []int64{0, 1 << 10, 1 << 30} {
		if most := Allowed(size, 0); 2*Elements.Of(size) > most || Vectors.Of(size) > most ||
			Columns.Of(size)+2*Names.Of(size) > most {
			t.Errorf("%d bytes: more than %d", size, most)
		}
		if most := Base + PerPackedByte*size; 2*Numbers.Of(size) > most ||
			PackedVectors.Of(size)+Numbers.Of(size) > most {
			t.Errorf("%d compressed bytes: more than %d", size, most)
		}
	}
}
