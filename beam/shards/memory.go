package shards

import (
	"fmt"
	"os"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// DefaultMaxMemory is the memory, in bytes, that reading a file may take if Options don't say it.
const DefaultMaxMemory = 4 << 30

// How many times its size a file that is read as a whole takes in memory at most: a value of two
// bytes in text, or of one in an array, becomes a float32, and is copied once.
const (
	wholeBytes      = 8
	compressedBytes = 32 // of a .gz file, of which it may be more
)

// fits returns an error if a file would have to be held in memory, and may take too much of it.
func (o *Options) fits(path string) error {
	if o.Format == dataset.FormatPGSM || strings.HasSuffix(path, ".pgsm") {
		return nil
	}
	most := o.MaxMemory
	if most == 0 {
		most = DefaultMaxMemory
	}
	var need int64
	for _, name := range strings.Split(path, ",") {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		times := int64(wholeBytes)
		if strings.HasSuffix(name, ".gz") {
			times = compressedBytes
		}
		need += times * info.Size()
	}
	if need <= most {
		return nil
	}
	return fmt.Errorf("%s: files that are not svmlight text or .pgsm are held in memory to be split, "+
		"which may take %d MB for this one, more than the limit of %d MB: raise the limit, or write "+
		"svmlight text or .pgsm (pegasimd convert, on a machine that has the memory)",
		visible.Name(path), need>>20, most>>20)
}
