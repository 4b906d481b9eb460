package dataset

import (
	"errors"
	"fmt"
)

// checkRows returns an error unless the set, which a caller may have made, has rows.
func (s *Set) checkRows() error {
	switch {
	case s == nil:
		return errors.New("dataset: the set is nil")
	case s.Dense == nil && s.Sparse == nil:
		return errors.New("dataset: the set has neither dense nor sparse rows")
	case s.Dense != nil && s.Sparse != nil:
		return errors.New("dataset: the set has both dense and sparse rows")
	}
	return nil
}

// check returns an error unless the set has rows, and a label for each.
func (s *Set) check() error {
	if err := s.checkRows(); err != nil {
		return err
	}
	if len(s.Y) != s.Rows() {
		return fmt.Errorf("dataset: %d labels for %d rows", len(s.Y), s.Rows())
	}
	for i, y := range s.Y {
		if s.Names != nil && !(y >= 0 && int(y) < len(s.Names) && float32(int(y)) == y) {
			return fmt.Errorf("dataset: the label of row %d is %v: want the place of one of %d names",
				i, y, len(s.Names))
		}
	}
	return nil
}
