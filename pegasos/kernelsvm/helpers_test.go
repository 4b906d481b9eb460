package kernelsvm

import "github.com/pegasimd/pegasimd/pegasos"

// foreign hides the type of the rows, as a user's own store of rows would.
type foreign struct{ pegasos.Examples }
