package pegasos_test

import "testing"

// The hash of a model does not depend on the command that trained it.
func TestHashWithoutCommand(t *testing.T) {
	for i, m := range models(t) {
		want := m.Hash()
		for _, command := range []string{"", "-format csv", "-label-column 'a b' -sep ';'"} {
			if m.Command = command; m.Hash() != want {
				t.Errorf("model %d with the command %q: the hash is %s, want %s", i, command,
					m.Hash(), want)
			}
		}
	}
}
