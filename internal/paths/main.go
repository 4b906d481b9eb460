// Command paths prints the names of the paths that this machine can run, weakest first, for
// scripts.
package main

import (
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/internal/asm"
)

func main() {
	var names []string
	for _, isa := range asm.Available() {
		names = append(names, isa.String())
	}
	fmt.Println(strings.Join(names, " "))
}
