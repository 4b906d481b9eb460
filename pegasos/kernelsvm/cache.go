package kernelsvm

// kernelCache caches kernel values of one tile, a group of rows of the store. For each row in the
// cache it holds the kernel of that row with every row of the tile. Cached values have the same
// bits as recomputed ones, so the size of the cache influences no result.
//
// Every pass visits the rows in a new order, so evicting the least recently used row would help
// little: with space for a quarter of the rows, 3 % of lookups would hit, since most rows have been
// evicted when they are visited again. Instead rows stay, and a quarter of lookups hit. A row is
// evicted only if it was used neither in the current pass nor in the one before.
type kernelCache struct {
	length   int             // number of rows in the tile
	capacity int             // maximum number of cached rows
	pass     int32           // current pass of the run
	fullPass int32           // last pass in which no row could be evicted; -1 for none
	hand     int             // slot that evictable looked at last
	index    map[int32]int32 // slot of each cached row, by store position
	slots    []cacheSlot
}

// cacheSlot is one cached row of kernel values.
type cacheSlot struct {
	row, used int32     // store position of the row; pass in which it was last used
	values    []float32 // kernel of the row with every row of the tile
}

func newCache(length, capacity int) *kernelCache {
	return &kernelCache{length: length, capacity: capacity, fullPass: -1,
		index: make(map[int32]int32)}
}

// get returns the slice for the kernel values of the row at store position row, and whether the
// slice already contains them. If not, the caller must fill the slice. It returns nil if the cache
// is full and no row can be evicted.
func (c *kernelCache) get(row int32) (values []float32, known bool) {
	k, known := c.index[row]
	switch {
	case known:
	case len(c.slots) < c.capacity:
		k = int32(len(c.slots))
		c.slots = append(c.slots, cacheSlot{values: make([]float32, c.length)})
	default:
		if k = c.evictable(); k < 0 {
			return nil, false
		}
		delete(c.index, c.slots[k].row)
	}
	s := &c.slots[k]
	if s.used = c.pass; !known {
		c.index[row], s.row = k, row
	}
	return s.values, known
}

// evictable returns the index of a slot that was used neither in this pass nor in the pass before,
// or -1 if there is none.
func (c *kernelCache) evictable() int32 {
	if c.fullPass == c.pass {
		return -1
	}
	for range c.slots {
		if c.hand++; c.hand >= len(c.slots) {
			c.hand = 0
		}
		if c.slots[c.hand].used < c.pass-1 {
			return int32(c.hand)
		}
	}
	c.fullPass = c.pass
	return -1
}
