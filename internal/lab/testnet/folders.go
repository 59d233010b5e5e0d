package testnet

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/ports"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// WriteFolders makes the peers' folders: key, configuration, and one network file.
func (t *Net) WriteFolders() error {
	n := plan.TestnetOf(t.Settings).Nodes
	t.Names = plan.SiteNames(n)
	t.net = &config.Network{Name: networkName(), Every: t.Settings.Rounds.Every, Links: t.Graph.Edges()}
	if t.Settings.Mode == config.Lockstep {
		t.net.Name = config.SimulatedNetwork
	}
	free, err := ports.Free(n)
	if err != nil {
		return config.Failf(config.ErrNetwork, "%w", err)
	}
	if t.Settings.World.Kind == config.Application {
		if t.apis, err = apiAddresses(n); err != nil {
			return config.Failf(config.ErrNetwork, "%w", err)
		}
	}
	for i, name := range t.Names {
		dir := filepath.Join(t.Dir, name)
		if err = os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		var id gossip.Identity
		own := *t.Settings
		own.Dir, own.Network = dir, filepath.Join(t.Dir, "network.yaml")
		if t.Settings.Mode == config.Lockstep {
			own.Seed = t.seed(i)
			id = config.LockstepIdentity(own.Seed)
		} else if id, err = gossip.CreateIdentity(own.IdentityPath()); err != nil {
			return err
		}
		addr := fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", free[i])
		own.Listen = []string{addr}
		if t.Settings.World.Kind == config.Application {
			own.API.Listen = t.apis[i]
		}
		t.net.Peers = append(t.net.Peers, config.Member{Name: name, ID: id.ID(), Addrs: []string{addr}})
		if err := config.WriteSettings(filepath.Join(dir, config.FileName), &own, 0o600); err != nil {
			return err
		}
	}
	// Round 0 begins when the slowest machine has all its peers linked.
	t.net.Start = time.Now().Add(2*time.Second + time.Duration(n)*60*time.Millisecond)
	return config.WriteNetwork(filepath.Join(t.Dir, "network.yaml"), t.net)
}

// seed returns the seed number of a peer in lockstep.
func (t *Net) seed(i int) uint64 {
	if n, ok := t.Seeds[i]; ok {
		return n
	}
	return node.PeerNumber(t.Settings.Seed, protocol.Peer(i))
}

// Start starts a process for each peer.
func (t *Net) Start() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	for i, name := range t.Names {
		dir := filepath.Join(t.Dir, name)
		var args []string
		if t.Traced {
			args = []string{"--trace", filepath.Join(dir, "trace")}
		}
		p, err := StartProcess(exe, dir, name, t.LogPath(i), args...)
		if err != nil {
			return err
		}
		t.Processes = append(t.Processes, p)
	}
	return nil
}

func networkName() string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return fmt.Sprintf("testnet-%012x", binary.BigEndian.Uint64(append([]byte{0, 0}, b[:]...)))
}
