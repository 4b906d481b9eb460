// Package murmur has what is taken of MurmurHash3.
package murmur

// Mix64 is its finaliser for 64 bits: it spreads what differs over all of them.
func Mix64(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
