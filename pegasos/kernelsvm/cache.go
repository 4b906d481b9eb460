package kernelsvm

// A valueCache keeps kernel values of one tile: of rows visited before with all rows of the tile.
// It returns the bits that computing the values again would give, so its size influences no result.
//
// Every pass visits the rows in a new order. Throwing out the least recently used row would be of
// little use then: with space for a quarter of the rows, 3 % would be found, since most have been
// thrown out when they are visited again. So rows stay, and a quarter is found; those not used in
// the whole previous pass make way.
type kernelCache struct {
	length   int // of the tile
	capacity int // rows
	pass     int32
	fullPass int32 // the pass in which nothing was found to throw out
	hand     int
	index    map[int32]int32 // of each row that is kept
	slots    []cacheSlot
}

type cacheSlot struct {
	row, used int32
	values    []float32
}

func newCache(length, capacity int) *kernelCache {
	return &kernelCache{length: length, capacity: capacity, fullPass: -1,
		index: make(map[int32]int32)}
}

// get returns the place of a row's values, and whether they are there already: if not they must be
// written to it. Without a place the result is nil.
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

// oldest returns a slot that was used neither in this pass nor in the one before, or -1.
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
