package main

func init() {
	kernel("unpackDot", "func(dst []float32, src []byte, hi, lo float32, w []float32) float32",
		func(t Target) {
			src := t.PointerParam("src")
			hi, lo := t.BroadcastParam("hi"), t.BroadcastParam("lo")
			// The last group is read from src and written to dst as a whole, even if it is
			// incomplete. Elements beyond the end of w count as +0.
			sumLongTerms(t, []string{"dst", "w"}, src, func(v Group, s source) {
				s.loadBytes(v)
				unpackGroup(t, v, hi, lo)
				s.store(v, 0)
				s.mul(v, v, 1)
			})
		}).trusting().inWide()
}
