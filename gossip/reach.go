package gossip

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// ErrUnreached is wrapped by errors about addresses that mean another machine at each machine.
var ErrUnreached = errors.New("others need one that reaches it")

// CheckAddress returns why other machines could not dial a peer at an address, which may end with the peer's id.
func CheckAddress(s string) error {
	var id peer.ID
	if a, err := ma.NewMultiaddr(s); err == nil {
		_, id = peer.SplitAddr(a)
	}
	_, err := dialled(s, id)
	return err
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// reaches returns why an address cannot be dialled from another machine.
func reaches(a ma.Multiaddr) error {
	if _, last := ma.SplitLast(a); last.Protocol().Code != ma.P_TCP {
		return errors.New("want one over TCP alone, such as /ip4/192.0.2.1/tcp/8471")
	}
	switch first := a[0]; first.Protocol().Code {
	case ma.P_DNS, ma.P_DNS4, ma.P_DNS6, ma.P_DNSADDR:
		if !hostName.MatchString(first.Value()) {
			return fmt.Errorf("%q is no name of a machine", first.Value())
		}
	case ma.P_IP4, ma.P_IP6:
		switch {
		case manet.IsIPUnspecified(a):
			return fmt.Errorf("%s means every address of this machine; %w", first.Value(), ErrUnreached)
		case manet.IsIP6LinkLocal(a):
			return fmt.Errorf("%s reaches this machine from its own link only; %w", first.Value(), ErrUnreached)
		}
	}
	return nil
}
