// Package machine says which CPU this is, and keeps a benchmark on one core of it.
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

// CPU names the model, by which results of different runs may be compared: never across two of
// them. Virtual machines hide what distinguishes two generations of one brand in the family and the
// model. Arm's cores have no brand, and are told apart by those two.
func CPU() string {
	name := strings.Join(strings.Fields(cpuid.CPU.BrandName), " ")
	name = cmp.Or(name, cpuid.CPU.VendorString, "unknown CPU")
	if cpuid.CPU.Family > 0 {
		name += fmt.Sprintf(", family %d, model %d", cpuid.CPU.Family, cpuid.CPU.Model)
	}
	return name
}
