package pegasos

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/internal/modelfile"
)

// A Proof has the dual variables that a model's bound is made of: see Trainer.KeepProof. They are
// rounded to two bytes each, which leaves them feasible, and the model claims no more than they
// prove: the bounds of a run that keeps them are those of the rounded ones from the start.
//
// A proof's file is one of package modelfile. Its header has the lines of Proof.fields, and its
// numbers are the vectors' shares, one vector after the other, as uint16.
type Proof struct {
	model, data string // Model.proofHash and Model.Data
	vectors     []proofVector
}

// A proofVector has the shares of one learner: of each of its rows, ascending, and in a joint
// problem of each class. A share is scale*n/65535, n being its number; where shares may be negative
// it is scale*(n-32767)/32767.
type proofVector struct {
	signed bool
	scale  float64
	shares []uint16
}

// proofVectorLine is what a file's header has of a vector.
type proofVectorLine struct {
	Shares int     `json:"shares"`
	Signed bool    `json:"signed"`
	Scale  float64 `json:"scale"`
}

// units returns the number that stands for 0, and how many more stand for the scale.
func (v *proofVector) units() (zero, scale float64) {
	if v.signed {
		return 32767, 32767
	}
	return 0, 65535
}

// round rounds shares to a proofVector's. Down is towards 0, so that no sum of them grows.
func round(shares []float32, down bool) proofVector {
	v := proofVector{scale: 1, shares: make([]uint16, len(shares))}
	for _, s := range shares {
		v.scale = max(v.scale, math.Abs(float64(s)))
		v.signed = v.signed || s < 0
	}
	half := 0.5
	if down {
		half = 0
	}
	zero, units := v.units()
	for i, s := range shares {
		v.shares[i] = uint16(zero + math.Floor(float64(float64(s)/v.scale*units)+half))
	}
	return v
}

// share returns the i-th share.
func (v *proofVector) share(i int) float32 {
	zero, units := v.units()
	return float32(float64(v.scale*(float64(v.shares[i])-zero)) / units)
}

// kept returns the dual variables of learner k as a proof has them. It reports false if there are
// none.
func (r *run) kept(k int) (v proofVector, ok bool) {
	l := r.learners[k]
	a := l.dualShares(r.r2)
	if a == nil {
		return v, false
	}
	s, n := l.common(), len(a)/r.X.Rows()
	flat := make([]float32, 0, n*s.Count())
	for _, i := range s.Ranked() {
		flat = append(flat, a[int(i)*n:][:n]...)
	}
	return round(flat, r.joint != nil), true
}

// prove returns the dual variables of m's bound. The session has measured m, by them.
func (s *session) prove(m *Model) (*Proof, error) {
	p := &Proof{model: m.proofHash(), data: s.data.fingerprint(s.threads)}
	p.vectors = make([]proofVector, len(m.Weights))
	if m.Config.Multiclass.Joint() {
		p.vectors = p.vectors[:1]
	}
	for k := range p.vectors {
		p.vectors[k].scale = 1 // also of pairs without rows
	}
	errs := make([]error, len(s.runs))
	s.parallel(func(i int, r *run) {
		for k := range r.learners {
			v, ok := r.kept(k)
			if !ok {
				errs[i] = errors.New("pegasos: there is no bound with these settings, and no proof")
				return
			}
			p.vectors[r.first+k] = v
		}
	})
	return p, firstError(errs...)
}

// spread returns the dual variables, of learner k of the run.
func (v *proofVector) spread(r *run, k int) []float32 {
	s := r.learners[k].common()
	n := 1
	if r.joint != nil {
		n = len(s.vs)
	}
	a := make([]float32, n*r.X.Rows())
	for j, i := range s.Ranked() {
		for c := range n {
			share := v.share(j*n + c)
			if r.joint == nil {
				share = r.problems[k].of.Cost.Clamp(share)
			} else if int(r.Class[i]) == c {
				share = 0
			}
			a[int(i)*n+c] = share
		}
	}
	return a
}

// Data returns the fingerprint of the data, as [Model.Data] has it.
func (p *Proof) Data() string { return p.data }

// fits returns an error unless the proof is of the model and the data.
func (p *Proof) fits(v *Verification, m *Model, s *session) error {
	switch have := m.proofHash(); {
	case p.model != have:
		return fmt.Errorf("pegasos: the proof is of another model: the hash of its weights is %.99q, "+
			"not %s", p.model, have)
	case p.data != v.Data:
		return fmt.Errorf("pegasos: the proof is of other data, or of another layout of them")
	}
	for _, r := range s.runs {
		for k, l := range r.learners {
			c := l.common()
			want := c.Count()
			if r.joint != nil {
				want *= len(c.vs)
			}
			if r.first+k >= len(p.vectors) || len(p.vectors[r.first+k].shares) != want {
				return errors.New("pegasos: the proof has not as many numbers as the problem")
			}
		}
	}
	return nil
}

// dualShares returns the dual variables that dual has its bound from, nil if there is none.
func (p *problem) dualShares(r2 float64) (share []float32) {
	if p.newton != nil {
		return p.newtonShares()
	}
	if p.ascent != nil {
		return p.ascentShares()
	}
	if p.recent == nil {
		return nil
	}
	share, _, _ = p.bestShares(r2)
	return share
}

func (j *joint) dualShares(r2 float64) (share []float32) {
	if j.ascent != nil {
		return j.ascentShares()
	}
	if j.recent == nil {
		return nil
	}
	share, _, _ = j.bestShares(r2)
	return share
}

// fields returns the header's lines.
func (p *Proof) fields(vectors *[]proofVectorLine) []modelfile.Field {
	return []modelfile.Field{
		modelfile.Required("model_hash", &p.model),
		modelfile.Required("data", &p.data),
		modelfile.Required("vectors", vectors),
	}
}

// Write writes the proof, in a form that is the same on every machine.
func (p *Proof) Write(w io.Writer) error {
	var lines []proofVectorLine
	for _, v := range p.vectors {
		lines = append(lines, proofVectorLine{len(v.shares), v.signed, v.scale})
	}
	mw := modelfile.NewWriter(w, modelfile.Proof)
	if err := mw.Header(p.fields(&lines)); err != nil {
		return fmt.Errorf("pegasos: proof can't be written: %w", err)
	}
	for _, v := range p.vectors {
		modelfile.WriteNumbers(mw, v.shares)
	}
	return mw.Close()
}

// ReadProof reads a proof that Write has written, to the end of r.
func ReadProof(r io.Reader) (*Proof, error) {
	return modelfile.Read(r, modelfile.Proof, readProof)
}

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
		p.vectors = append(p.vectors, proofVector{line.Signed, line.Scale, shares})
	}
	return p, r.End()
}
