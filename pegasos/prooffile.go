package pegasos

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/engine"
)

// Proof holds the dual variables that prove the lower bound of a model: see Trainer.KeepProof. Each
// variable is rounded to two bytes. The rounded variables are feasible and prove the DualObjective
// in the model's Result.
type Proof struct {
	// The file of a Proof is a file of package modelfile of kind Proof. Its header has the lines of
	// Proof.fields, and its numbers are the dual variables as uint16, one vector after the other.

	model, data string // Model.proofHash and Model.Data of the model
	vectors     []certificate.Packed
}

// proofVector describes the dual variables of one weight vector in the header of a proof's file.
type proofVector struct {
	Shares int     `json:"shares"` // number of dual variables
	Signed bool    `json:"signed"` // whether the dual variables are signed; see certificate.Packed
	Scale  float64 `json:"scale"`  // factor of the dual variables; see certificate.Packed
}

// Data returns the fingerprint of the data that the proof refers to, in the form of Model.Data.
func (p *Proof) Data() string { return p.data }

// check returns an error unless the proof is of the model m and of data with the fingerprint
// v.Data, and has as many dual variables as the problem of s.
func (p *Proof) check(v *Verification, m *Model, s *engine.Session) error {
	switch have := m.proofHash(); {
	case p.model != have:
		return fmt.Errorf("pegasos: the proof is of another model: the hash of its weights is "+
			"%.99q, not %s", p.model, have)
	case p.data != v.Data:
		return errors.New("pegasos: the proof is of other data, or of another layout of the rows")
	case !s.Fits(p.vectors):
		return errors.New("pegasos: the proof has another number of dual variables than the problem")
	}
	return nil
}

// fields returns the lines of the file's header, with pointers to the values in p and to vectors.
func (p *Proof) fields(vectors *[]proofVector) []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("model_hash", &p.model), modelfile.Required("data", &p.data),
		modelfile.Required("vectors", vectors),
	}
}

// Write writes the proof to w in the format that [ReadProof] reads. The bytes are the same on every
// machine.
func (p *Proof) Write(w io.Writer) error {
	var lines []proofVector
	for _, v := range p.vectors {
		lines = append(lines, proofVector{len(v.Duals), v.Signed, v.Scale})
	}
	mw := modelfile.NewWriter(w, modelfile.Proof)
	if err := mw.Header(p.fields(&lines)); err != nil {
		return fmt.Errorf("pegasos: proof can't be written: %w", err)
	}
	for _, v := range p.vectors {
		modelfile.WriteNumbers(mw, v.Duals)
	}
	return mw.Close()
}

// ReadProof reads a proof from r, which must hold a proof written by Write and nothing else.
func ReadProof(r io.Reader) (*Proof, error) { return modelfile.Read(r, modelfile.Proof, readProof) }

// ReadProofFile reads a proof from the named file, which may be compressed with gzip.
func ReadProofFile(name string) (*Proof, error) { return modelfile.ReadFile(name, ReadProof) }

// readProof reads a proof's file after its first line, which modelfile.Read reads.
func readProof(r *modelfile.Reader) (*Proof, error) {
	p := new(Proof)
	var lines []proofVector
	if err := r.Header(p.fields(&lines)); err != nil {
		return nil, err
	}
	for k, line := range lines {
		if line.Shares < 0 || !(line.Scale > 0) || line.Scale > math.MaxFloat32 {
			return nil, fmt.Errorf("header: vectors: %d: %d shares with the scale %v, want 0 or more "+
				"shares, and a positive scale", k, line.Shares, line.Scale)
		}
		shares, err := r.Shorts(line.Shares)
		if err != nil {
			return nil, err
		}
		p.vectors = append(p.vectors, certificate.Packed{Signed: line.Signed, Scale: line.Scale,
			Duals: shares})
	}
	return p, r.End()
}
