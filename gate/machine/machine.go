// Package machine names the CPU, and pins a benchmark to one of its cores.
//
//	pinned := machine.Pin()
//	defer pinned.Release()
//	fmt.Println(machine.CPU(), pinned)
package machine

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// CPU returns the name of the CPU's model. Results of different models must not be compared. Family
// and model numbers are included if they are known: virtual machines give two generations of a
// brand the same name, and Arm's cores have no brand.
func CPU() string {
	name := strings.Join(strings.Fields(cpuid.CPU.BrandName), " ")
	name = cmp.Or(name, cpuid.CPU.VendorString, "unknown CPU")
	if cpuid.CPU.Family > 0 {
		name += fmt.Sprintf(", family %d, model %d", cpuid.CPU.Family, cpuid.CPU.Model)
	}
	return name
}
