package change

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"
	"unicode"

	"peerd.dev/gossip"
	"peerd.dev/gossip/address"
	"peerd.dev/internal/config"
	"peerd.dev/node/network"
)

// An Invitation lets a machine join a network in the place that was made for it.
type Invitation struct {
	Seed    [32]byte  // of the place's key, until the peer puts its own there
	Until   time.Time // of which that key is made, too
	Network string    // hash of its first document
	Name    string    // of the new peer
	With    gossip.PeerInfo
}

const (
	tokenStart   = "peerd1-"
	tokenVersion = 3
	tokenSum     = 4 // bytes of a hash at the end, by which a slip is found before anything is dialled
)

// Token returns the invitation as one word. Anyone with the token can join in its place, once.
func (v *Invitation) Token() string {
	text := strings.Join(append([]string{v.until(), v.Network, v.Name, v.With.ID}, v.With.Addrs...), " ")
	b := append([]byte{tokenVersion}, v.Seed[:]...)
	sum := sha256.Sum256(append(b, text...))
	return tokenStart + base64.RawURLEncoding.EncodeToString(slices.Concat(b, []byte(text), sum[:tokenSum]))
}

// until returns the end as text.
func (v *Invitation) until() string { return v.Until.UTC().Format(time.RFC3339) }

// identity returns the key of the place until the peer puts its own there. With another end in the token it is another key.
func (v *Invitation) identity() gossip.Identity {
	return gossip.SeedIdentity(sha256.Sum256(append(v.Seed[:], v.until()...)))
}

// ParseToken reads a token. White space, and characters that show nothing, are what a terminal or a mail put in.
func ParseToken(token string) (*Invitation, error) {
	words := strings.FieldsFunc(token, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	text, ok := strings.CutPrefix(strings.Join(words, ""), tokenStart)
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	v, n := new(Invitation), len(b)-tokenSum
	sum := sha256.Sum256(b[:max(0, n)])
	if !ok || err != nil || n <= len(v.Seed) || b[0] != tokenVersion || !bytes.Equal(sum[:tokenSum], b[n:]) {
		return nil, config.Failf(config.ErrUsage, "this token is not whole, or was changed: copy it again, as `peerd network invite` printed it")
	}
	copy(v.Seed[:], b[1:])
	parts := strings.Fields(string(b[1+len(v.Seed) : n]))
	if len(parts) < 5 {
		return nil, config.Failf(config.ErrUsage, "this token has no address of the peer that invites")
	}
	if v.Until, err = time.Parse(time.RFC3339, parts[0]); err != nil {
		return nil, config.Failf(config.ErrUsage, "this token is of another release of peerd: %w", err)
	}
	v.Network, v.Name, v.With = parts[1], parts[2], gossip.PeerInfo{ID: parts[3], Addrs: parts[4:]}
	return v, nil
}

// maxLinks is with how many peers a new one is linked by default.
const maxLinks = 4

// Invite gives a new peer a place, linked with the named peers, and returns the token for it. Without names these are up to four peers
// that others can reach and that have the fewest links. It ends after valid. For a name that is invited it is a new invitation, and the one
// before is void.
func Invite(ctx context.Context, s *config.Settings, name string, links []string, valid time.Duration, how Signing) (v *Invitation, x *Overview, err error) {
	f, err := open(s)
	if err != nil {
		return nil, nil, err
	}
	d, self, err := f.self()
	if err != nil {
		return nil, nil, err
	}
	v = &Invitation{Name: name, Network: d.Network, Until: time.Now().Add(valid).UTC().Truncate(time.Second)}
	p := &d.Peers[self]
	_, _ = rand.Read(v.Seed[:]) // does not fail
	v.With = gossip.PeerInfo{ID: p.ID, Addrs: reachable(p)}
	if len(v.With.Addrs) == 0 {
		return nil, nil, config.Failf(config.ErrUsage, "%s has no address in the document, at which %s could reach it: run `peerd network move --addr` first", p.Name, name)
	}
	if len(links) == 0 {
		links = fewest(d)
	}
	c := network.Change{Kind: network.Invite, Peer: name, ID: v.identity().ID(), Links: links}
	x, err = f.sign(ctx, how, func(b *network.Book) error { return b.Propose(c, how.Again) })
	return v, x, err
}

// reachable returns the addresses of a peer at which other machines reach it.
func reachable(p *network.Peer) []string {
	return slices.DeleteFunc(slices.Clone(p.Addrs), func(a string) bool { return address.Check(a) != nil }) // an earlier build accepted some
}

// fewest returns the names of up to [maxLinks] peers that others can reach and that have the fewest links.
func fewest(d *network.Document) (names []string) {
	links := make(map[string]int)
	for _, l := range edges(d) {
		links[d.Peers[l[0]].Name]++
		links[d.Peers[l[1]].Name]++
	}
	for i := range d.Peers {
		if p := &d.Peers[i]; p.Standing == network.Present && len(reachable(p)) > 0 {
			names = append(names, p.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return links[a] - links[b] })
	return names[:min(maxLinks, len(names))]
}
