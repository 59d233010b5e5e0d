package change

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/node/network"
)

// An Invitation lets a machine join a network in the place that was made for it.
type Invitation struct {
	Seed    [32]byte // of the place's key, until the peer puts its own there
	Network string   // hash of the first document
	Name    string   // of the new peer
	With    gossip.PeerInfo
}

const (
	tokenStart   = "peerd1-"
	tokenVersion = 1
)

// Token returns the invitation as one word. Anyone with the token can join in its place, once.
func (v *Invitation) Token() string {
	text := strings.Join(append([]string{v.Network, v.Name, v.With.ID}, v.With.Addrs...), " ")
	b := append([]byte{tokenVersion}, v.Seed[:]...)
	return tokenStart + base64.RawURLEncoding.EncodeToString(append(b, text...))
}

// ParseToken reads a token.
func ParseToken(token string) (*Invitation, error) {
	text, ok := strings.CutPrefix(strings.TrimSpace(token), tokenStart)
	b, err := base64.RawURLEncoding.DecodeString(text)
	v := new(Invitation)
	if !ok || err != nil || len(b) < 1+len(v.Seed) || b[0] != tokenVersion {
		return nil, config.Failf(config.ErrUsage, "this is no token: want what `peerd network invite` printed, whole")
	}
	copy(v.Seed[:], b[1:])
	parts := strings.Fields(string(bytes.TrimSpace(b[1+len(v.Seed):])))
	if len(parts) < 4 {
		return nil, config.Failf(config.ErrUsage, "this token has no address: want what `peerd network invite` printed, whole")
	}
	v.Network, v.Name, v.With = parts[0], parts[1], gossip.PeerInfo{ID: parts[2], Addrs: parts[3:]}
	return v, nil
}

// Invite gives a new peer a place, linked with the named peers, or with all peers, and returns
// the token for it.
func Invite(s *config.Settings, name string, links []string) (token string, x *Overview, err error) {
	v := Invitation{Name: name}
	_, _ = rand.Read(v.Seed[:]) // does not fail
	x, err = with(s, func(b *network.Book, id gossip.Identity) error {
		place, _, ok := b.Newest().PlaceOf(id.ID())
		if !ok {
			return network.ErrRefused
		}
		self := b.Newest().Peers[place]
		addrs := slices.DeleteFunc(slices.Clone(self.Addrs), func(a string) bool { return gossip.CheckAddress(a) != nil }) // an earlier build accepted some
		if len(addrs) == 0 {
			return config.Failf(config.ErrUsage, "%s has no address in the document, at which %s could reach it: run `peerd network move --addr` first", self.Name, name)
		}
		v.Network, v.With = b.At(1).Hash(), gossip.PeerInfo{ID: self.ID, Addrs: addrs}
		c := network.Change{Kind: network.Invite, Peer: name, ID: gossip.SeedIdentity(v.Seed).ID(), Links: links}
		return b.Wish(c)
	})
	return v.Token(), x, err
}
