package solve

// cache caches rows of kernel values: the kernel of a row with every row of a problem.
type cache struct {
	capacity int64           // kernel values
	index    map[int32]int32 // slot by row
	slots    []cacheSlot     // those from len to cap may be reused
	rows     int64
	length   int // values in a row
	clock    int64
	keep     int64 // rows used by the last keep calls of get, including this call, are not evicted
}

type cacheSlot struct {
	row    int32 // in the problem
	used   int64 // clock at the last call of get
	values []float32
}

func newCache(mb float64, keep int64) *cache {
	return &cache{capacity: int64(max(0, min(mb, 1<<30)) * 1e6 / 4), keep: keep,
		index: map[int32]int32{}}
}

func (c *cache) reset(rows int) {
	clear(c.index)
	c.slots, c.length, c.rows = c.slots[:0], rows, min(c.capacity/int64(rows), int64(rows))
	if most := c.slots[:cap(c.slots)]; int64(len(most)) > c.rows {
		clear(most[c.rows:])
	}
}

func (c *cache) find(row int) []float32 {
	if k, ok := c.index[int32(row)]; ok {
		return c.slots[k].values
	}
	return nil
}

// get returns the slice for the kernel values of a row. If known is false, the caller must fill the
// slice. If the cache is full, get evicts the least recently used row if evict is true and keep
// permits; else it returns nil.
func (c *cache) get(row int, evict bool) (values []float32, known bool) {
	c.clock++
	k, known := c.index[int32(row)]
	if !known {
		switch n := len(c.slots); {
		case int64(n) < c.rows:
			k = int32(n)
			if c.slots = c.slots[:min(n+1, cap(c.slots))]; len(c.slots) == n {
				c.slots = append(c.slots, cacheSlot{})
			}
		case !evict || n == 0:
			return nil, false
		default:
			for i := range c.slots {
				if c.slots[i].used < c.slots[k].used {
					k = int32(i)
				}
			}
			if c.slots[k].used > c.clock-c.keep {
				return nil, false
			}
			delete(c.index, c.slots[k].row)
		}
		s := &c.slots[k]
		if s.row = int32(row); cap(s.values) < c.length {
			s.values = make([]float32, c.length, (c.length+255)&^255)
		}
		s.values = s.values[:c.length]
		c.index[s.row] = k
	}
	c.slots[k].used = c.clock
	return c.slots[k].values, known
}
