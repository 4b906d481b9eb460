package pegasos

import (
	"encoding/json"
	"errors"

	"github.com/pegasimd/pegasimd/internal/modelfile"
)

// MarshalJSON leaves out what was not measured, for JSON has no NaN.
func (r Result) MarshalJSON() ([]byte, error) { return json.Marshal(r.header()) }

// UnmarshalJSON reads what MarshalJSON has written, and makes NaN of what is left out. Fields that
// it does not know are an error.
func (r *Result) UnmarshalJSON(text []byte) error {
	var h *headerResult
	if err := modelfile.Unmarshal(text, &h); err != nil {
		return err
	}
	if h == nil {
		return errors.New("want an object")
	}
	*r = h.result()
	return nil
}
