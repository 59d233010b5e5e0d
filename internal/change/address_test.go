package change

import (
	"strings"
	"testing"
)

// TestAddressesOfThisMachine are named with the port that was given, if it has any.
func TestAddressesOfThisMachine(t *testing.T) {
	text := suchAs([]string{"/ip6/::/tcp/8471"})
	if text == "" {
		t.Skip("this machine has no address beyond itself")
	}
	for a := range strings.SplitSeq(strings.TrimPrefix(text, ", such as "), " or ") {
		if checkAddrs([]string{a}) != nil || !strings.HasSuffix(a, "/tcp/8471") || strings.Contains(a, "127.0.0.1") {
			t.Errorf("%q in %q", a, text)
		}
	}
}

// TestNoAddressHasTheIDOfAKey, which a new key replaces: the peer could not take it.
func TestNoAddressHasTheIDOfAKey(t *testing.T) {
	given := []string{"192.0.2.1:8471", "hospital-a.example:8471", "[2001:db8::1]:8471"}
	if err := checkAddrs(given); err != nil || strings.Join(given, " ") != "/ip4/192.0.2.1/tcp/8471 /dns/hospital-a.example/tcp/8471 /ip6/2001:db8::1/tcp/8471" {
		t.Errorf("%q: %v", given, err)
	}
	if err := checkAddrs([]string{"/ip4/192.0.2.1/tcp/1/p2p/12D3KooWGp6ijznkdFjnDuE7gpgc3FotU3YxdL7Hpq7jer2qcCEN"}); err == nil || !strings.Contains(err.Error(), "want it without /p2p/") {
		t.Error(err)
	}
}
