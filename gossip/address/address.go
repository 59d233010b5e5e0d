// Package address says what a peer can be dialled at, and where it can listen.
package address

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// MaxLen bounds an address in bytes.
const MaxLen = 256

// ErrUnreached is wrapped by errors about addresses that mean another machine at each machine.
var ErrUnreached = errors.New("others need one that reaches it")

// Check returns why other machines could not dial a peer at an address, which may end with the peer's id.
func Check(s string) error {
	var id peer.ID
	if a, err := ma.NewMultiaddr(s); err == nil {
		_, id = peer.SplitAddr(a)
	}
	_, err := Dialled(s, id)
	return err
}

// CheckListen returns why a peer could not listen at an address, which may end with the peer's id.
func CheckListen(s string) error {
	a, err := ma.NewMultiaddr(s)
	if a, _ = peer.SplitAddr(a); err == nil {
		if len(a) > 0 && a[0].Protocol().Code == ma.P_IP6ZONE { // of a link-local address
			a = a[1:]
		}
		_, err = machine(a)
	}
	if err != nil {
		return fmt.Errorf("address %q: %w", s, err)
	}
	return nil
}

// label matches a part of a name: by RFC 1123, and with underscores, which containers have in theirs.
var label = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$`)

// named reports whether a machine can have a name. One that ends with a number is an IP address to resolvers, or none.
func named(name string) bool {
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	wrong := slices.ContainsFunc(labels, func(x string) bool { return !label.MatchString(x) })
	return !wrong && len(name) < 255 && strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

// machine returns the IP address of a machine and a TCP port that a multiaddr has; the zero Addr for a name.
func machine(a ma.Multiaddr) (ip netip.Addr, err error) {
	if len(a) == 2 && a[1].Protocol().Code == ma.P_TCP {
		switch name := a[0].Value(); a[0].Protocol().Code {
		case ma.P_DNS, ma.P_DNS4, ma.P_DNS6, ma.P_DNSADDR:
			if !named(name) {
				err = fmt.Errorf("%q is no name of a machine", name)
			}
			return ip, err
		case ma.P_IP4, ma.P_IP6:
			ip, err = netip.ParseAddr(name)
			if ip = ip.Unmap(); err != nil || ip.IsMulticast() || ip.Is4() && !ip.IsUnspecified() && (ip.As4()[0] == 0 || ip.As4()[0] >= 240) {
				err = fmt.Errorf("%s is the address of no machine", name)
			}
			return ip, err
		}
	}
	return ip, errors.New("want one over TCP alone, such as /ip4/192.0.2.1/tcp/8471")
}

// reaches returns why an address cannot be dialled from another machine.
func reaches(a ma.Multiaddr) error {
	if len(a) > 0 && a[0].Protocol().Code == ma.P_IP6ZONE {
		return fmt.Errorf("%s is a link of this machine alone; %w", &a[0], ErrUnreached)
	}
	ip, err := machine(a)
	switch {
	case err != nil:
		return err
	case ip.IsValid() && ip.IsUnspecified():
		return fmt.Errorf("%s means every address of this machine; %w", a[0].Value(), ErrUnreached)
	case ip.IsLinkLocalUnicast():
		return fmt.Errorf("%s reaches this machine from its own link only; %w", a[0].Value(), ErrUnreached)
	case a[1].Value() == "0":
		return errors.New("want the port at which others dial this peer, not 0")
	}
	return nil
}

// Dialled returns an address of a peer without the peer's id.
func Dialled(s string, id peer.ID) (ma.Multiaddr, error) {
	if len(s) > MaxLen {
		return nil, fmt.Errorf("address of %d bytes, want at most %d", len(s), MaxLen)
	}
	a, err := ma.NewMultiaddr(s)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", s, err)
	}
	transport, of := peer.SplitAddr(a)
	switch {
	case of != "" && of != id:
		return nil, fmt.Errorf("address %q is another peer's, want %s", s, id)
	case transport == nil:
		return nil, fmt.Errorf("address %q has no transport address", s)
	}
	if err = reaches(transport); err != nil {
		return nil, fmt.Errorf("address %q: %w", s, err)
	}
	return transport, nil
}
