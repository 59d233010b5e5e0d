package main

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// lay makes the peers' folders: key, configuration, and one network file.
func (t *testnet) lay() error {
	n := t.s.Testnet.Nodes
	t.names = siteNames(n)
	t.net = &Network{Name: networkName(), Every: t.s.Rounds.Every, Links: t.graph.Edges()}
	if t.s.Mode == Lockstep {
		t.net.Name = simulatedNetwork
	}
	ports, err := freePorts(n)
	if err != nil {
		return failf(ErrNetwork, "%w", err)
	}
	if t.s.World.Kind == Application {
		if t.apis, err = apiAddresses(n); err != nil {
			return failf(ErrNetwork, "%w", err)
		}
	}
	for i, name := range t.names {
		dir := filepath.Join(t.dir, name)
		if err = os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		var id gossip.Identity
		own := *t.s
		own.Dir, own.Network = dir, filepath.Join(t.dir, "network.yaml")
		if t.s.Mode == Lockstep {
			own.Seed = t.seed(i)
			id = lockstepIdentity(own.Seed)
		} else if id, err = gossip.CreateIdentity(own.IdentityPath()); err != nil {
			return err
		}
		addr := fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", ports[i])
		own.Listen = []string{addr}
		if t.s.World.Kind == Application {
			own.API.Listen = t.apis[i]
		}
		t.net.Peers = append(t.net.Peers, Member{Name: name, ID: id.ID(), Addrs: []string{addr}})
		if err := writeSettings(filepath.Join(dir, configName), &own, 0o600); err != nil {
			return err
		}
	}
	// Round 0 begins when the slowest machine has all its peers linked.
	t.net.Start = time.Now().Add(2*time.Second + time.Duration(n)*60*time.Millisecond)
	return writeNetwork(filepath.Join(t.dir, "network.yaml"), t.net)
}

// seed returns the seed number of a peer in lockstep.
func (t *testnet) seed(i int) uint64 {
	if n, ok := t.seeds[i]; ok {
		return n
	}
	return node.PeerNumber(t.s.Seed, protocol.Peer(i))
}

// freePorts returns ports that nobody listened on a moment ago.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // all at once, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// start starts a process for each peer.
func (t *testnet) start() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	for i, name := range t.names {
		dir := filepath.Join(t.dir, name)
		var args []string
		if t.traced {
			args = []string{"--trace", filepath.Join(dir, "trace")}
		}
		p, err := startProcess(exe, dir, name, t.logPath(i), args...)
		if err != nil {
			return err
		}
		t.procs = append(t.procs, p)
	}
	return nil
}

func networkName() string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return fmt.Sprintf("testnet-%012x", binary.BigEndian.Uint64(append([]byte{0, 0}, b[:]...)))
}
