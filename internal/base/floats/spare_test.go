package floats

import "testing"

func TestBorrow(t *testing.T) {
	for _, n := range []int{5, 3, 8, 0, 8} {
		v := Borrow(n)
		if len(v) != n {
			t.Fatalf("%d elements, want %d", len(v), n)
		}
		for i := range v {
			if v[i] != 0 {
				t.Errorf("element %d of %d is %v", i, n, v[i])
			}
			v[i] = 1
		}
		GiveBack(v)
	}
}
