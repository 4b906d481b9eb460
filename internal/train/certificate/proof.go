package certificate

import (
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
)

// Proof is the content of a proof file: the dual variables of a model's problems, one for each
// weight vector or a single joint one, and hashes of the model and of the data. The dual variables
// follow the header as uint16, one problem after the other.
type Proof struct {
	Model, Data string
	Vectors     []Packed
}

type proofVector struct {
	Shares int `json:"shares"`
	Packed
}

func (p *Proof) fields(vectors *[]proofVector) []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("model_hash", &p.Model), modelfile.Required("data", &p.Data),
		modelfile.Required("vectors", vectors),
	}
}

func (p *Proof) Write(w io.Writer) error {
	var lines []proofVector
	for _, v := range p.Vectors {
		lines = append(lines, proofVector{len(v.Duals), v})
	}
	mw := modelfile.NewWriter(w, modelfile.Proof)
	if err := mw.Header(p.fields(&lines)); err != nil {
		return fmt.Errorf("pegasos: proof can't be written: %w", err)
	}
	for _, v := range p.Vectors {
		modelfile.WriteNumbers(mw, v.Duals)
	}
	return mw.Close()
}

// ReadProof reads a proof file after its first line, which modelfile.Read reads.
func ReadProof(r *modelfile.Reader) (*Proof, error) {
	p := new(Proof)
	var lines []proofVector
	if err := r.Header(p.fields(&lines)); err != nil {
		return nil, err
	}
	for k, v := range lines {
		if v.Shares < 0 || !(v.Scale > 0) || v.Scale > math.MaxFloat32 {
			return nil, fmt.Errorf("header: vectors: vector %d has %s and the scale %v, want 0 or more "+
				"shares and a positive scale of at most 3.4e38", k, plural.Count(v.Shares, "share"),
				v.Scale)
		}
		var err error
		if v.Duals, err = r.Shorts(v.Shares); err != nil {
			return nil, err
		}
		p.Vectors = append(p.Vectors, v.Packed)
	}
	return p, r.End()
}
