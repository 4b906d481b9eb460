// Package machine names the CPU and, on Linux, pins a thread to one of its cores.
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

// CPU returns the CPU's model, with family and model numbers if known, because virtual machines
// give different generations the same name. Results of different models must not be compared.
func CPU() string {
	name := strings.Join(strings.Fields(cpuid.CPU.BrandName), " ")
	name = cmp.Or(name, cpuid.CPU.VendorString, "unknown CPU")
	if cpuid.CPU.Family > 0 {
		name += fmt.Sprintf(", family %d, model %d", cpuid.CPU.Family, cpuid.CPU.Model)
	}
	return name
}
