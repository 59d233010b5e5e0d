package address

import "testing"

// TestAddressesThatOthersDial: what a machine can have is dialled, also in a test's or a document's network.
func TestAddressesThatOthersDial(t *testing.T) {
	for _, a := range []string{
		"/ip4/127.0.0.1/tcp/1", "/ip4/192.0.2.1/tcp/8471", "/ip4/10.0.0.1/tcp/65535", "/ip4/223.255.255.255/tcp/1", "/ip6/::1/tcp/1", "/ip6/2001:db8::1/tcp/1", "/ip6/::ffff:192.0.2.1/tcp/1",
		"/ip4/192.0.2.1/tcp/8471/p2p/12D3KooWGp6ijznkdFjnDuE7gpgc3FotU3YxdL7Hpq7jer2qcCEN",
		"/dns4/a.example/tcp/1", "/dns6/a-1.example./tcp/1", "/dns/localhost/tcp/1", "/dns4/3com.example/tcp/1", "/dns4/peer_a/tcp/1", "/dns4/a/tcp/1", "/dns4/xn--bcher-kva.example/tcp/1", "/dns4/1a/tcp/1",
	} {
		if err := Check(a); err != nil {
			t.Error(err)
		}
		if err := CheckListen(a); err != nil {
			t.Error(err)
		}
	}
}

// TestAddressesToListenAt need not mean one machine to others, and must be one's own all the same.
func TestAddressesToListenAt(t *testing.T) {
	for a, good := range map[string]bool{
		"/ip4/0.0.0.0/tcp/8471": true, "/ip6/::/tcp/0": true, "/ip6zone/eth0/ip6/fe80::1/tcp/8471": true, "/ip4/169.254.1.1/tcp/1": true,
		"/ip4/224.0.0.1/tcp/1": false, "/ip4/255.255.255.255/tcp/1": false, "/ip4/0.0.0.1/tcp/1": false, "/ip6/ff02::1/tcp/1": false, "/ip6/::ffff:240.0.0.1/tcp/1": false,
		"/ip4/127.0.0.1/udp/1": false, "/ip6zone/eth0/tcp/1": false, "/tcp/1": false, "": false, "/p2p/12D3KooWGp6ijznkdFjnDuE7gpgc3FotU3YxdL7Hpq7jer2qcCEN": false, "/dns4/-/tcp/1": false,
	} {
		if err := CheckListen(a); (err == nil) != good {
			t.Errorf("%s: %v", a, err)
		}
	}
}
