package pegasos

import (
	"io"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
)

// Proof holds dual variables, rounded to two bytes each, that prove the DualObjective in the Result
// of a model: see Trainer.KeepProof.
type Proof struct {
	proof *certificate.Proof
}

// Data returns the fingerprint of the data that the proof refers to, in the form of Model.Data.
func (p *Proof) Data() string { return p.proof.Data }

// Write writes the proof to w in the format that [ReadProof] reads. The bytes are the same on every
// machine.
func (p *Proof) Write(w io.Writer) error { return p.proof.Write(w) }

// ReadProof reads a proof from r, which must hold a proof written by Write and nothing else.
func ReadProof(r io.Reader) (*Proof, error) {
	p, err := modelfile.Read(r, modelfile.Proof, certificate.ReadProof)
	if err != nil {
		return nil, err
	}
	return &Proof{p}, nil
}

// ReadProofFile reads a proof from the named file, which may be compressed with gzip.
func ReadProofFile(name string) (*Proof, error) { return modelfile.ReadFile(name, ReadProof) }
