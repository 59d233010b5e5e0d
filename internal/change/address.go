package change

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"peerd.dev/gossip/address"
	"peerd.dev/internal/config"
)

// checkAddrs refuses addresses at which other machines could not dial a peer, and names what could be meant. It writes host:port as a
// multiaddr.
func checkAddrs(addrs []string) error {
	for i, a := range addrs {
		if host, port, wrong := net.SplitHostPort(a); wrong == nil && !strings.HasPrefix(a, "/") {
			kind := "dns"
			if ip, wrong := netip.ParseAddr(host); wrong == nil {
				ip = ip.Unmap()
				kind, host = map[bool]string{true: "ip4", false: "ip6"}[ip.Is4()], ip.String()
			}
			addrs[i] = "/" + kind + "/" + host + "/tcp/" + port
		}
		typed := a
		a = addrs[i]
		if _, err := multiaddr.NewMultiaddr(a); err != nil {
			return config.Failf(config.ErrRefused, "--addr %q: want HOST:PORT or /ip4/ADDRESS/tcp/PORT", typed)
		}
		err := address.Check(a)
		if errors.Is(err, address.ErrUnreached) {
			return config.Failf(config.ErrRefused, "--addr: %w%s", err, suchAs([]string{a}))
		}
		if err == nil && strings.Contains(a, "/p2p/") {
			err = fmt.Errorf("%s: want it without /p2p/ and the id, which the document has, and which `peerd network rotate` replaces", a)
		}
		if err != nil {
			return config.Failf(config.ErrRefused, "--addr: %w", err)
		}
	}
	return nil
}

// wantAddrs is the error of a command without an address of a peer that listens on some.
func wantAddrs(listen []string) error {
	return config.Failf(config.ErrUsage, "want --addr, at which others dial this peer%s; it listens on %s", suchAs(listen), strings.Join(listen, ", "))
}

// suchAs returns in words the addresses of this machine beyond itself, with the first fixed port of some addresses.
func suchAs(like []string) string {
	port := portOf(like)
	if port == "" {
		return ""
	}
	all, _ := net.InterfaceAddrs() // without any there is nothing to name
	var own []string
	for _, x := range all {
		n, ok := x.(*net.IPNet)
		if !ok || !n.IP.IsGlobalUnicast() {
			continue
		}
		if a, err := manet.FromIP(n.IP); err == nil {
			own = append(own, fmt.Sprintf("%v/tcp/%s", a, port))
		}
	}
	if len(own) == 0 {
		return ""
	}
	return ", such as " + strings.Join(own[:min(3, len(own))], " or ")
}

// Kinds of addresses: all of a machine, and one of a private network or of this machine alone.
var everywhere, private = manet.IsIPUnspecified, manet.IsPrivateAddr

// has reports whether one of some addresses is of a kind.
func has(addrs []string, kind func(multiaddr.Multiaddr) bool) bool {
	return slices.ContainsFunc(addrs, func(text string) bool {
		a, err := multiaddr.NewMultiaddr(text)
		return err == nil && kind(a)
	})
}

// portOf returns the first port of addresses to listen on that is fixed; empty if there is none.
func portOf(listen []string) string {
	for _, l := range listen {
		if _, port, _ := strings.Cut(l, "/tcp/"); port != "" && port != "0" {
			return port
		}
	}
	return ""
}
