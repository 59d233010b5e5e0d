package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"peerd.dev/gossip"
	"peerd.dev/gossip/address"
	"peerd.dev/gossip/wire"
	"peerd.dev/internal/ask"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

const unreached = "see that it runs, and that its address in the network file can be dialled from here"

// offered checks that the network has the actions that the site offers beyond those that it began with.
func (d *doctor) offered() {
	known := d.c.Actions(d.deployment.Network).Names
	for _, name := range d.c.API.Offer {
		if name != site.OfferAll && !slices.Contains(known, name) {
			d.warn("offer", "correct it, or add the action: `peerd network extend NAME`", "api.offer has %q, which is no action of this network", name)
		}
	}
}

// ports checks that the peer can listen, or does listen.
func (d *doctor) ports(ctx context.Context) {
	d.dialled(ctx)
	for _, s := range d.c.Listen {
		d.port("port", s, func() (string, string, error) {
			a, err := multiaddr.NewMultiaddr(s)
			if err != nil {
				return "", "", err
			}
			return manet.DialArgs(a)
		})
	}
	if at := d.c.API.Listen; at != "" {
		d.port("API port", at, func() (string, string, error) { return "tcp", at, nil })
	}
}

// dialled compares the addresses at which others dial this peer with those at which it listens. Only others can try them: one that
// nobody has dialled does not pass.
func (d *doctor) dialled(ctx context.Context) {
	var peers []api.Peer
	if d.running {
		peers, _ = ask.Peers(ctx, d.c.Dir) // links reports the error
	}
	by := slices.IndexFunc(peers, func(p api.Peer) bool { return p.Dialled })
	if len(d.deployment.Network.Peers[d.deployment.Self].Addrs) == 0 {
		d.pass("listen", "no peer dials this one, which has no address in the network; it dials others")
	}
	var ports []string
	far := false // it listens beyond this machine
	for _, text := range d.c.Listen {
		if own, err := multiaddr.NewMultiaddr(text); err == nil {
			far = far || !manet.IsIPLoopback(own)
			port, _ := own.ValueForProtocol(multiaddr.P_TCP) // the configuration was checked
			ports = append(ports, port)
		}
	}
	own, err := manet.InterfaceMultiaddrs()
	for _, text := range d.deployment.Network.Peers[d.deployment.Self].Addrs {
		at, wrong := multiaddr.NewMultiaddr(text)
		if wrong != nil {
			continue // the network file was checked
		}
		port, _ := at.ValueForProtocol(multiaddr.P_TCP)
		remedy := fmt.Sprintf("set listen: [/ip4/0.0.0.0/tcp/%s]", port)
		unreached := address.Check(text)
		switch {
		case unreached != nil:
			d.fail(config.ErrNetwork, "listen", "run `peerd network move --addr`, or correct the network file", "%v", unreached)
		case !far && !manet.IsIPLoopback(at):
			d.fail(config.ErrNetwork, "listen", remedy, "others dial %s, by the network file, and this peer listens on %v, which no other machine can reach", text, d.c.Listen)
		case !slices.Contains(ports, port):
			d.warn("listen", remedy+", unless a gateway maps the port", "others dial %s, by the network file, and this peer listens on %v", text, d.c.Listen)
		case err == nil && strings.HasPrefix(at.String(), "/ip") && !slices.ContainsFunc(own, func(a multiaddr.Multiaddr) bool {
			return strings.HasPrefix(at.String(), a.String()+"/")
		}):
			d.warn("listen", "if it has moved: `peerd network move --addr`", "others dial %s, and no interface of this machine has that address: right only behind a router that forwards", text)
		case manet.IsIPLoopback(at):
			d.pass("listen", "%s, which this machine alone dials", text)
		case by >= 0:
			d.pass("listen", "others dial %s, and %s has dialled this peer", text, peers[by].Name)
		default:
			d.warn("listen", "see that no firewall keeps others out: `peerd doctor` of a neighbour that is stopped dials it", "others dial %s, by the network file, and this command knows of none that did", text)
		}
	}
}

func (d *doctor) port(check, text string, address func() (network, host string, err error)) {
	if d.running {
		if d.listening(text) || check != "port" {
			d.pass(check, "%s, held by the running peer", text)
		} else {
			d.warn(check, "restart the peer", "the running peer does not listen on %s but on %v", text, d.status.Addresses)
		}
		return
	}
	network, host, err := address()
	if err == nil {
		var l net.Listener
		if l, err = net.Listen(network, host); err == nil {
			err = l.Close()
		}
	}
	if err != nil {
		d.fail(config.ErrNetwork, check, "end what listens there, or take another port at every peer", "%s: %v", text, err)
		return
	}
	d.pass(check, "%s is free", text)
}

// listening reports whether the running peer listens on the port of an address.
func (d *doctor) listening(text string) bool {
	a, err := multiaddr.NewMultiaddr(text)
	if err != nil {
		return false
	}
	port, err := a.ValueForProtocol(multiaddr.P_TCP)
	return err == nil && (port == "0" || slices.ContainsFunc(d.status.Addresses, func(s string) bool {
		return strings.Contains(s+"/", "/tcp/"+port+"/")
	}))
}

// links asks the running peer about its neighbours.
func (d *doctor) links(ctx context.Context) {
	peers, err := ask.Peers(ctx, d.c.Dir)
	if err != nil {
		d.fail(config.ErrUnexpected, "neighbours", "look at the peer's log", "%v", err)
		return
	}
	var all []contact
	for _, p := range peers {
		if !p.Neighbour {
			continue
		}
		c := contact{name: p.Name}
		switch gossip.LinkState(p.State) {
		case gossip.Up:
			c.detail = "linked, " + p.RTT
		case gossip.Refused:
			c.err = fmt.Errorf("%w: %s", wire.ErrMismatch, strings.TrimPrefix(p.LastError, wire.ErrMismatch.Error()+": "))
		default:
			c.err = fmt.Errorf("link %s: %s", p.State, p.LastError)
		}
		all = append(all, c)
	}
	d.contacts(all)
	if n := d.status.Limited; n > 0 {
		d.warn("connections", "the log has the addresses: keep them from this port", "%d connections refused, since there were too many", n)
	}
	if n := d.status.Strangers; n > 0 {
		d.warn("strangers", "the log names them: put them into the network file, or keep them from this port", "%d connections refused of peers that are not in the network file", n)
	}
}

// A contact is the result of asking a neighbour.
type contact struct {
	name   string
	detail string
	err    error
	silent bool // could not be asked
}

// contacts adds findings about the neighbours. That one of them is away is not this peer's
// problem, unless all are.
func (d *doctor) contacts(all []contact) {
	reached := slices.ContainsFunc(all, func(c contact) bool { return c.err == nil && !c.silent })
	for _, c := range all {
		check := "neighbour " + c.name
		switch {
		case errors.Is(c.err, wire.ErrMismatch):
			d.fail(config.ErrRefused, check, "set the keys that are named to one value at both sites; if this speaks of a backup, see docs/durability.md", "%v", c.err)
		case c.silent:
			d.warn(check, "start this peer to see", "%s", c.detail)
		case c.err != nil && reached:
			d.warn(check, unreached, "%v", c.err)
		case c.err != nil:
			d.fail(config.ErrNetwork, check, unreached, "%v", c.err)
		default:
			d.pass(check, "%s", c.detail)
		}
	}
	if len(all) == 0 {
		d.pass("neighbours", "none in the network file")
	}
}

// probe asks the neighbours of a stopped peer, and returns what they remember of it.
func (d *doctor) probe(ctx context.Context) map[protocol.Peer]protocol.Checkpoint {
	c := d.deployment.HostConfig(0, slog.New(slog.DiscardHandler))
	c.Checkpoints = d.c.Mode == config.Live
	var mu sync.Mutex
	remembered := make(map[protocol.Peer]protocol.Checkpoint) // by neighbour
	all := make([]contact, len(d.deployment.Links))
	var asks sync.WaitGroup
	for i, n := range d.deployment.Links {
		m := d.deployment.Network.Peers[n]
		all[i].name = m.Name
		if len(m.Addrs) == 0 {
			all[i].silent, all[i].detail = true, "not asked: it has no address in the network file and dials this peer"
			continue
		}
		asks.Go(func() {
			r, err := gossip.Probe(ctx, c, n)
			if err != nil {
				all[i].err = err
				return
			}
			all[i].detail = fmt.Sprintf("agrees, %v; remembers %v of this peer", r.RTT.Round(time.Microsecond), r.Remembered)
			if !r.Signed {
				all[i].detail += ", which this peer has not signed"
				return
			}
			mu.Lock()
			defer mu.Unlock()
			remembered[n] = r.Remembered
		})
	}
	asks.Wait()
	d.contacts(all)
	return remembered
}

// ledger verifies a stopped peer's ledger, and compares it with what its neighbours remember.
func (d *doctor) ledger(remembered map[protocol.Peer]protocol.Checkpoint) {
	if d.c.Mode == config.Lockstep {
		return // there is no ledger
	}
	dir := filepath.Join(d.c.Dir, daemon.StoreDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if d.agrees(remembered, protocol.Checkpoint{}, nil) {
			d.pass("ledger", "none yet; ε %g to spend", float64(d.c.Privacy.Epsilon))
		}
		return
	}
	const remedy = "docs/durability.md says what to do before it starts"
	st, err := daemon.ReadStore(d.c.Dir)
	if err != nil {
		d.fail(severe(err), "ledger", remedy, "%v", err)
		return
	}
	defer func() { _ = st.Close() }() // nothing was written
	v := check.NewVerifier()
	for line, err := range site.Records(st, 0, math.MaxUint64) {
		if err == nil {
			err = v.Line(line)
		}
		if err != nil {
			d.fail(config.ErrUnexpected, "ledger", remedy, "%v", err)
			return
		}
	}
	chain := v.Chain()
	if d.agrees(remembered, protocol.Checkpoint{Records: chain.Next, Head: chain.Head}, st) {
		d.charged(v.Report())
	}
}

// agrees compares the ledger with what neighbours remember of it.
func (d *doctor) agrees(remembered map[protocol.Peer]protocol.Checkpoint, own protocol.Checkpoint, st *store.Store) bool {
	for _, n := range d.deployment.Links { // in order
		m := remembered[n]
		same := own.Follows(m)
		if same && m.Records > 0 && st != nil {
			line, err := st.Get(store.Ledger, store.Number(m.Records-1))
			same = err == nil && (line == nil || ledger.HashOf(line) == m.Head) // there is no line in a gap
		}
		if !same {
			d.fail(config.ErrUnexpected, "ledger", "use the newer folder if there is one; otherwise start this one once, stop it and run `peerd recover`; docs/durability.md",
				"here are %v, but %s remembers %v: this folder was restored from a backup, or its key runs twice", own, d.deployment.Network.Peers[n].Name, m)
			return false
		}
	}
	return true
}

// charged reports on the budget of a stopped peer.
func (d *doctor) charged(r check.Report) {
	text := fmt.Sprintf("%d records verified; ε %g of %g charged, %d releases", r.Records, r.Charged.Float(), r.Budget.Float(), r.Releases)
	var leaves, most uint64 // released and paid for, for all arms if they share a horizon
	for _, s := range r.Streams {
		leaves, most = leaves+s.Leaf, max(most, s.Leaves)
	}
	if c, err := d.deployment.Spec.Cadence(); err == nil && c.SynchronousLeaves() {
		most *= uint64(len(r.Streams))
	}
	if most > 0 && leaves >= most {
		d.warn("ledger", "a spent budget does not come back; the peer continues to listen", "%s; all that was paid for is released", text)
		return
	}
	d.pass("ledger", "%s", text)
}

// budget reports on the budget of a running peer.
func (d *doctor) budget() {
	s := d.status
	text := fmt.Sprintf("ε %.4g charged, %.4g left; %d releases", s.Spent, s.Left, s.Released)
	if s.Learning == string(node.Waits) {
		d.warn("budget", "see that this clock is right and NTP runs; docs/durability.md#the-clock says how to go on", "%s; %s", text, s.Notice)
		return
	}
	if s.Notice != "" {
		d.warn("budget", "a spent budget does not come back; the peer continues to listen and to decide", "%s; %s", text, s.Notice)
		return
	}
	d.pass("budget", "%s", text)
}
