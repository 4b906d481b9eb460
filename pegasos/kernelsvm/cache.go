package kernelsvm

// A valueCache keeps kernel values of one tile: of rows visited before with all rows of the tile.
// It returns the bits that computing the values again would give, so its size influences no result.
//
// Every pass visits the rows in a new order. Throwing out the least recently used row would be of
// little use then: with space for a quarter of the rows, 3 % would be found, since most have been
// thrown out when they are visited again. So rows stay, and a quarter is found; those not used in
// the whole previous pass make way.
type valueCache struct {
	length   int // of the tile
	capacity int // rows
	pass     int32
	full     int32 // the pass in which nothing was found to throw out
	hand     int
	place    map[int32]int32 // of each row that is kept
	slots    []cacheSlot
}

type cacheSlot struct {
	row, used int32
	values    []float32
}

func newCache(length, capacity int) *valueCache {
	return &valueCache{length: length, capacity: capacity, full: -1, place: make(map[int32]int32)}
}

// get returns the place of a row's values, and whether they are there already: if not they must be
// written to it. Without a place the result is nil.
func (c *valueCache) get(row int32) (values []float32, known bool) {
	k, known := c.place[row]
	switch {
	case known:
	case len(c.slots) < c.capacity:
		k = int32(len(c.slots))
		c.slots = append(c.slots, cacheSlot{values: make([]float32, c.length)})
	default:
		if k = c.oldest(); k < 0 {
			return nil, false
		}
		delete(c.place, c.slots[k].row)
	}
	s := &c.slots[k]
	if s.used = c.pass; !known {
		c.place[row], s.row = k, row
	}
	return s.values, known
}

// oldest returns a slot that was used neither in this pass nor in the one before, or -1.
func (c *valueCache) oldest() int32 {
	if c.full == c.pass {
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
	c.full = c.pass
	return -1
}
