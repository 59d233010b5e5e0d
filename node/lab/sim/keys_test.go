package sim

import (
	"testing"

	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

// verified counts the signatures that are verified with keys.
type verified struct {
	protocol.Keys
	n *int
}

func (k verified) Verify(p protocol.Peer, b, sig []byte) bool {
	*k.n++
	return k.Keys.Verify(p, b, sig)
}

// TestSignaturesAreRemembered: with signer and content, and nothing else counts as signed.
func TestSignaturesAreRemembered(t *testing.T) {
	n, all := 0, make(notary)
	keys := func(p protocol.Peer) *notarized {
		return &notarized{verified{protocoltest.Keys(p), &n}, p, all}
	}
	first, second := keys(1), keys(2)
	text := []byte("text")
	sig := first.Sign(text)
	text[0] = 'T' // the caller may reuse it
	if !second.Verify(1, []byte("text"), sig) || n > 0 {
		t.Error("what was signed is verified, or not known")
	}
	for _, c := range []struct {
		by   protocol.Peer
		text string
		sig  []byte
	}{{2, "text", sig}, {1, "Text", sig}, {1, "text", []byte("not it")}} {
		if second.Verify(c.by, []byte(c.text), c.sig) {
			t.Errorf("%q is taken for signed by %d", c.text, c.by)
		}
	}
	if n != 3 {
		t.Errorf("%d signatures were verified, want 3", n)
	}
	for i := range mostSigned {
		first.Sign([]byte{byte(i), byte(i >> 8)})
	}
	if len(all) > mostSigned || !second.Verify(1, []byte("text"), sig) || n != 4 {
		t.Errorf("%d signatures are remembered and %d were verified, want at most %d and 4", len(all), n, mostSigned)
	}
}
