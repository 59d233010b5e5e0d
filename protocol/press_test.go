package protocol_test

import (
	"testing"

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
