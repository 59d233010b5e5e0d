package site

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// departed is a version of the membership in which left and right have gone and another peer has come.
func (r *rig) departed() Membership {
	m := r.membership(2)
	graph := [][]protocol.Peer{nil, {3}, nil, {self}}
	m.Document, m.Neighbours, m.Gone = store.Number(3), graph[self], []string{m.ID(left), m.ID(right)}
	m.Agent = func(life Life) (*node.Agent, error) {
		x := r.setting
		x.graph, x.absent = graph, m.Absent
		return x.agent(self, life)
	}
	return m
}

// TestNoChangeTakesAMemoryAway: an older copy of a folder whose neighbours have left waits for them, and so draws
// nothing a second time, whatever peers that came later report. A site that was open when they left does not wait for
// them at its next start.
func TestNoChangeTakesAMemoryAway(t *testing.T) {
	r := newRig(t, usual(averaged, AtWindow))
	r.version = 2
	r.start()
	r.rounds(3)
	r.stop()
	backup := r.disk.CrashClone(vfs.CrashCloneCfg{})
	r.start()
	r.rounds(5)
	require.NoError(t, r.s.SetMembership(r.departed()))
	r.round()
	drawn := r.s.tip().Records
	reports := func(s *Site) {
		s.OnRemembered(3, protocol.Checkpoint{}, true)
		r.clock.add(2 * standing.Grace)
	}
	again := func(disk *vfs.MemFS) *Site {
		r.disk = disk
		c := r.config()
		m := r.departed()
		newest := c.Memberships
		c.Memberships = func(document []byte) (Membership, error) {
			if bytes.Equal(document, m.Document) {
				return m, nil
			}
			return newest(document)
		}
		c.Document, c.Peers, c.Neighbours, c.Gone, c.Agent, c.Arms, c.Absent = m.Document, m.Peers, m.Neighbours, m.Gone, m.Agent, m.Arms, m.Absent
		s := require.Value(Open(c))(t)
		reports(s)
		return s
	}
	r.stop()
	s := again(r.disk)
	if s.isBlocked() || !s.Current() || s.tip().Records != drawn {
		t.Errorf("the folder itself is blocked: %v", s.Ready(t.Context()))
	}
	require.NoError(t, s.Close())
	for range 2 { // at each start
		s = again(backup)
		why := s.Ready(t.Context())
		if !s.isBlocked() || s.Current() || why == nil || !strings.Contains(why.Error(), "peer 0") || !strings.Contains(why.Error(), "peer 2") {
			t.Errorf("the older copy: %v", why)
		}
		require.NoError(t, s.Close())
	}
	s = again(backup) // the operator excludes them, which costs what they may remember
	require.Value(s.Recover([]string{"peer 0", "peer 2"}))(t)
	require.NoError(t, s.Close())
	s = again(backup)
	if s.isBlocked() || s.Current() { // a folder that has recovered was an old copy
		t.Errorf("after the recovery: %v", s.Ready(t.Context()))
	}
	require.NoError(t, s.Close())
	s = again(backup)
	if s.isBlocked() || !s.Current() {
		t.Errorf("at the start after it: %v", s.Ready(t.Context()))
	}
	require.NoError(t, s.Close())
}
