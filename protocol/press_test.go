package protocol_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// TestFreeKindsAreFree: protocols of other modules have the kinds from FirstFree on for themselves.
func TestFreeKindsAreFree(t *testing.T) {
	for _, p := range papers.All() {
		for k, name := range protocol.TraitsOf(p).Kinds {
			if k >= protocol.FirstFree {
				t.Errorf("%s has %s, kind %d of those for other modules", p.Words().Name, name, k)
			}
		}
	}
}

var rangeOfKinds = regexp.MustCompile(`(?m)^//\t(\d+ to \d+: [a-z -]+)$`)

// TestKindsAreListed: the comment of kind.go has the kinds of every protocol, and no two protocols share one.
func TestKindsAreListed(t *testing.T) {
	source := require.Value(os.ReadFile("kind.go"))(t)
	var listed []string
	for _, m := range rangeOfKinds.FindAllStringSubmatch(string(source), -1) {
		listed = append(listed, m[1])
	}
	want, owner := []string{"1 to 2: no protocol"}, make(map[protocol.Kind]string)
	for _, p := range papers.All() {
		name, kinds := p.Words().Name, []protocol.Kind(nil)
		for k := range protocol.TraitsOf(p).Kinds {
			if other := owner[k]; other != "" {
				t.Errorf("%s and %s both have kind %d", other, name, k)
			}
			kinds, owner[k] = append(kinds, k), name
		}
		want = append(want, fmt.Sprintf("%d to %d: %s", slices.Min(kinds), slices.Max(kinds), name))
	}
	slices.Sort(listed)
	slices.Sort(want)
	if !slices.Equal(listed, want) {
		t.Errorf("kind.go lists\n%q\nwant\n%q", listed, want)
	}
}

// TestAnEmptyPressMakesNothing: only the one of New does.
func TestAnEmptyPressMakesNothing(t *testing.T) {
	for name, make := range map[string]func(protocol.Content) protocol.Message{
		"Message": protocol.Press{}.Message, "Signed": protocol.Press{}.Signed,
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a message was made")
				}
			}()
			make(protocol.Content{Kind: protocol.FirstFree})
		})
	}
}

// TestAProtocolIsGivenNoKeys: the press of New signs and opens with them, and a protocol, which can be another module's, has no
// other use of them.
func TestAProtocolIsGivenNoKeys(t *testing.T) {
	var given protocol.Config
	require.Value(protocol.New(keeping{config: &given}, protocol.Config{Keys: vouch.For[protocol.Keys](protocoltest.Keys(3))}))(t)
	if given.Keys.Get() != nil {
		t.Error("a protocol has the keys of its peer")
	}
	m := given.Press.Signed(protocol.Content{Kind: protocol.FirstFree, Label: protocol.Label{Origin: 3}})
	if !given.Press.Authentic(m) || !pressOf(t, protocoltest.Keys(4)).Authentic(protocoltest.Carry(t, m)) {
		t.Error("the press has other keys")
	}
}

// keeping are parameters of a protocol that keeps what it is given.
type keeping struct {
	pressing
	config *protocol.Config
}

func (k keeping) New(c protocol.Config) (protocol.Protocol, error) {
	*k.config = c
	return nil, nil
}
