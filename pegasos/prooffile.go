package pegasos

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/engine"
)

// A Proof has the dual variables that a model's bound is made of: see Trainer.KeepProof. They are
// rounded to two bytes each, which leaves them feasible, and the model claims no more than they
// prove.
type Proof struct {
	// A proof's file is one of package modelfile. Its header has the lines of Proof.fields, and its
	// numbers are the vectors' shares, one vector after the other, as uint16.

	model, data string // Model.proofHash and Model.Data
	vectors     []certificate.Packed
}

// proofVectorLine is what a file's header has of a vector.
type proofVectorLine struct {
	Shares int     `json:"shares"`
	Signed bool    `json:"signed"`
	Scale  float64 `json:"scale"`
}

// Data returns the fingerprint of the data, as [Model.Data] has it.
func (p *Proof) Data() string { return p.data }

// fits returns an error unless the proof is of the model and the data.
func (p *Proof) fits(v *Verification, m *Model, s *engine.Session) error {
	switch have := m.proofHash(); {
	case p.model != have:
		return fmt.Errorf("pegasos: the proof is of another model: the hash of its weights is "+
			"%.99q, not %s", p.model, have)
	case p.data != v.Data:
		return errors.New("pegasos: the proof is of other data, or of another layout of them")
	case !s.Fits(p.vectors):
		return errors.New("pegasos: the proof has not as many numbers as the problem")
	}
	return nil
}

// fields returns the header's lines.
func (p *Proof) fields(vectors *[]proofVectorLine) []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("model_hash", &p.model), modelfile.Required("data", &p.data),
		modelfile.Required("vectors", vectors),
	}
}

// Write writes the proof, in a form that is the same on every machine.
func (p *Proof) Write(w io.Writer) error {
	var lines []proofVectorLine
	for _, v := range p.vectors {
		lines = append(lines, proofVectorLine{len(v.Shares), v.Signed, v.Scale})
	}
	mw := modelfile.NewWriter(w, modelfile.Proof)
	if err := mw.Header(p.fields(&lines)); err != nil {
		return fmt.Errorf("pegasos: proof can't be written: %w", err)
	}
	for _, v := range p.vectors {
		modelfile.WriteNumbers(mw, v.Shares)
	}
	return mw.Close()
}

// ReadProof reads a proof that Write has written, to the end of r.
func ReadProof(r io.Reader) (*Proof, error) { return modelfile.Read(r, modelfile.Proof, readProof) }

// ReadProofFile reads a proof from a file, which may be compressed with gzip.
func ReadProofFile(name string) (*Proof, error) { return modelfile.ReadFile(name, ReadProof) }

// readProof reads what follows the first line of a proof's file.
func readProof(r *modelfile.Reader) (*Proof, error) {
	p := new(Proof)
	var lines []proofVectorLine
	if err := r.Header(p.fields(&lines)); err != nil {
		return nil, err
	}
	for k, line := range lines {
		if line.Shares < 0 || !(line.Scale > 0) || line.Scale > math.MaxFloat32 {
			return nil, fmt.Errorf("header: vectors: %d: %d shares with the scale %v", k,
				line.Shares, line.Scale)
		}
		shares, err := r.Shorts(line.Shares)
		if err != nil {
			return nil, err
		}
		p.vectors = append(p.vectors, certificate.Packed{Signed: line.Signed, Scale: line.Scale,
			Shares: shares})
	}
	return p, r.End()
}
