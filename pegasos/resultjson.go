package pegasos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MarshalJSON leaves out what was not measured, for JSON has no NaN.
func (r Result) MarshalJSON() ([]byte, error) { return json.Marshal(r.header()) }

// UnmarshalJSON reads what MarshalJSON has written, and makes NaN of what is left out. Fields that
// it does not know are an error.
func (r *Result) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var h *headerResult
	if err := d.Decode(&h); err != nil {
		return err
	}
	if h == nil {
		return errors.New("want an object")
	}
	*r = h.result()
	return nil
}

// Validate returns an error unless the model is one that training could give: as many weight vectors
// as its classes and settings ask for, all of one length, finite numbers, ascending classes, and
// settings that can be used. Every reader of models calls it, and so should who makes one by hand.
func (m *Model) Validate() error {
	if err := m.check(); err != nil {
		return fmt.Errorf("pegasos: model: %w", err)
	}
	return firstError(m.Config.Validate(), checkLambda(m.Lambda))
}
