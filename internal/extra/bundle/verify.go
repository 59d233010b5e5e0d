package bundle

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"peerd.dev/internal/version"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
	"peerd.dev/node/network"
)

// slack is how far the clocks of a bundle may be apart.
const slack = 10 * time.Minute

// A Report is what a bundle shows.
type Report struct {
	Manifest
	Promise     string       `json:"promise"`
	Ledger      check.Report `json:"ledger"`
	Version     uint64       `json:"version"` // of the network document
	Members     []Member     `json:"members"`
	Witnesses   []Witness    `json:"witnesses"`   // neighbours, and others with a receipt
	Checkpoints int          `json:"checkpoints"` // of other peers' ledgers
	Build       Program      `json:"build"`
}

// A Member is a place of the network.
type Member struct {
	Name     string           `json:"name"`
	Standing network.Standing `json:"standing"`
}

// A Program is what wrote a bundle, as it says itself.
type Program struct {
	version.Info
	SHA256 string `json:"sha256"` // of its file
}

// Verify verifies a bundle. The error is a [*Fault] if something is wrong with it, and another one if it cannot be read.
func Verify(r io.Reader) (*Report, error) {
	a, err := open(r)
	if err != nil {
		return nil, err
	}
	parts := make(map[string][]byte)
	report := &Report{Manifest: a.Manifest}
	heads := make(map[uint64]ledger.Hash)
	for _, name := range Names() {
		if name == Ledger {
			err = a.ledger(&report.Ledger, heads)
		} else {
			parts[name], err = a.part(name)
		}
		if err != nil {
			return nil, err
		}
	}
	if err = a.end(); err != nil {
		return nil, err
	}
	if l := &report.Ledger; l.Network != a.Network || l.Mode != ledger.Private {
		return nil, fault(LedgerBad, "it is of network %q, %s, and not of %.70q, %s", l.Network, l.Mode, a.Network, ledger.Private)
	}
	first, newest, err := history(parts[Network])
	if err != nil {
		return nil, err
	}
	place, ok := newest.Place(a.Site)
	switch l := &report.Ledger; {
	case newest.Name != a.Network:
		return nil, fault(NetworkBad, "the document is of network %q, and %s of %.70q", newest.Name, manifestPart, a.Network)
	case !ok || newest.Peers[place].ID != a.Peer:
		return nil, fault(NetworkBad, "the newest version has no site %.70q with key %.70q", a.Site, a.Peer)
	case !slices.Contains(ids(&newest.Peers[place]), l.Peer):
		return nil, fault(LedgerBad, "it is of peer %s, and not of site %s", l.Peer, a.Site)
	}
	policy, err := terms(parts[Policy], parts[Settings], &report.Ledger, newest)
	if err != nil {
		return nil, err
	}
	if report.Promise, err = a.page(parts, &report.Ledger, policy, &report.Build); err != nil {
		return nil, err
	}
	g := &ground{a.Network, place, a.Made, newest, heads, report.Ledger.Next}
	vouched, n, err := g.statements(parts[Receipts])
	if err != nil {
		return nil, err
	}
	if released(first, report.Ledger.Round).After(a.Made.Add(slack)) {
		return nil, fault(Clock, "the newest release is of round %d, which had not begun at %v, when the bundle was made", report.Ledger.Round, a.Made)
	}
	report.Version, report.Checkpoints, report.Members, report.Witnesses = newest.Version, n, members(newest), witnesses(newest, place, vouched)
	return report, nil
}

// ledger verifies the part [Ledger] as it is read, and adds its heads by number of records.
func (a *archive) ledger(report *check.Report, heads map[uint64]ledger.Hash) error {
	h, err := a.next(Ledger)
	if err != nil {
		return err
	}
	sum := sha256.New()
	from := io.TeeReader(a.tar, sum)
	*report, err = check.VerifyEach(bufio.NewReader(from), func(c ledger.Chain) { heads[c.Next] = c.Head })
	wrong := new(check.Fault)
	if err != nil && !errors.As(err, &wrong) {
		return cut(err)
	}
	if _, no := io.Copy(io.Discard, from); no != nil {
		return cut(no)
	}
	if no := a.listed(Ledger, h.Size, [sha256.Size]byte(sum.Sum(nil))); no != nil {
		return no
	}
	if err != nil {
		return &Fault{LedgerBad, err}
	}
	return nil
}

// released returns when a round begins; the last time there is if that is later.
func released(d *network.Document, round uint64) time.Time {
	return d.Start.Add(time.Duration(min(round, uint64(math.MaxInt64/d.Duration()))) * d.Duration()) //nolint:gosec // it is in range by the division
}

// members returns the places of a document.
func members(d *network.Document) (all []Member) {
	for _, p := range d.Peers {
		all = append(all, Member{p.Name, p.Standing})
	}
	return all
}

// witnesses returns the neighbours of a place, and others with a receipt, by place.
func witnesses(d *network.Document, place int, vouched map[int]*statement) (all []Witness) {
	near := neighbours(d, place)
	for i, p := range d.Peers {
		s := vouched[i]
		switch {
		case s != nil:
			all = append(all, Witness{p.Name, s.Records, s.Time})
		case slices.Contains(near, i):
			all = append(all, Witness{Name: p.Name})
		}
	}
	return all
}
