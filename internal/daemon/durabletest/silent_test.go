//go:build unix

package durabletest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/extra/doctor"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node"
)

// TestNoStateIsSilent brings a peer into every state in which it does not learn, or is called by
// a peer that it does not know, and checks what status, readyz, log, metrics and doctor report.
// It is the table of docs/operations.md.
func TestNoStateIsSilent(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []string
		start   time.Duration // of the network, from now
		both    bool          // the neighbour runs
		bring   func(s *labSite)
		until   func(s *labSite) bool
		ready   int    // code of /readyz
		says    string // in status, /readyz if that is not 200, and the log
		metrics []string
		check   string // of doctor
		outcome doctor.Outcome
		detail  string
	}{
		{
			name: "ended", changes: []string{"privacy.horizon", "50"}, both: true,
			until: func(s *labSite) bool { return s.status().Learning == string(node.Ended) },
			ready: 200, says: "learning has ended: every row that privacy.horizon pays for is used", metrics: []string{"peerd_learning 0"},
			check: "budget", outcome: doctor.Warn, detail: "learning has ended",
		},
		{
			name: "ending", both: true, bring: func(s *labSite) { s.useOneAction(19) }, // it stays so, since the clock closes nothing
			changes: []string{"protocol.name", "average", "privacy.horizon", "20", "api.min_exposures", "0"},
			until:   func(s *labSite) bool { return s.status().Learning == string(node.Ends) },
			ready:   200, says: "learning ends soon", metrics: []string{"peerd_learning 1", "peerd_remaining_leaves "},
			check: "budget", outcome: doctor.Warn, detail: "learning ends soon",
		},
		{
			name: "over before it began", changes: []string{"world.kind", "bernoulli", "world.bernoulli.means", "[[0.2, 0.5, 0.8]]", "privacy.horizon", "1000"}, start: -24 * time.Hour, both: true,
			until: func(s *labSite) bool { code, _ := s.get("/readyz"); return code == 200 },
			ready: 200, says: "learning has ended: all 1000 rounds are over since ", metrics: []string{"peerd_learning 0"},
			check: "budget", outcome: doctor.Warn, detail: "learning has ended",
		},
		{ // an application's budget pays for rounds that are played
			name: "begun long ago", start: -24 * time.Hour, both: true,
			until: func(s *labSite) bool { return s.status().Released > 0 },
			ready: 200, metrics: []string{"peerd_learning 1", "peerd_learning_until_timestamp_seconds "},
			check: "budget", outcome: doctor.Pass, detail: "ε 1 charged",
		},
		{
			name: "an action ended", both: true, bring: func(s *labSite) { s.useOneAction(8) },
			changes: []string{"protocol.name", "average", "privacy.horizon", "5", "api.min_exposures", "0"},
			until:   func(s *labSite) bool { return s.status().Learning == string(node.Ends) },
			ready:   200, says: "of 3 streams have used every reward that privacy.horizon pays for", metrics: []string{"peerd_remaining_leaves 0"},
			check: "budget", outcome: doctor.Warn, detail: "of 3 streams",
		},
		{
			name: "not started", start: 24 * time.Hour, both: true,
			until: func(s *labSite) bool { return s.status().Learning == string(node.Waits) },
			ready: 503, says: "the network starts at ", metrics: []string{"peerd_learning 0"},
			check: "budget", outcome: doctor.Warn, detail: "the network starts at ",
		},
		{
			name:  "alone",
			until: func(s *labSite) bool { return s.status().BlockedReason != "" },
			ready: 503, says: "waiting for neighbours to report", metrics: []string{`peerd_neighbour_up{neighbour="s1"} 0`},
			check: "neighbour s1", outcome: doctor.Fail, detail: "see that it runs",
		},
		{
			name: "stranger", both: true, bring: (*labSite).strangerCalls,
			until: func(s *labSite) bool { return s.status().Strangers > 0 },
			ready: 200, says: "a peer that is not in the network file", metrics: []string{"peerd_refused_strangers_total 1"},
			check: "strangers", outcome: doctor.Warn, detail: "1 connections refused",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2, c.changes...)
			if c.start != 0 {
				l.net.Start = time.Now().Add(c.start)
				l.writeNetwork()
			}
			s := l.sites[0]
			s.start(launch{})
			if c.both {
				l.sites[1].start(launch{})
				l.await("the link is up", 60*time.Second, func() bool { _, text := s.get("/v1/status"); return strings.Contains(text, `"links_up":true`) })
			}
			l.await("the API answers", 60*time.Second, func() bool { code, _ := s.get("/healthz"); return code == 200 })
			if c.bring != nil {
				c.bring(s)
			}
			l.await(c.name, 60*time.Second, func() bool { return c.until(s) })
			st := s.status()
			if c.name != "stranger" && !strings.Contains(st.Notice+st.BlockedReason, c.says) {
				t.Errorf("status: %q, %q", st.Notice, st.BlockedReason)
			}
			sentence := "learns together with 1 of 1 neighbours"
			if c.ready == 503 || st.Learning == string(node.Ended) {
				sentence = c.says
			}
			if !strings.Contains(st.State, sentence) {
				t.Errorf("state %q, want %q", st.State, sentence)
			}
			l.await("/readyz", time.Minute, func() bool { // a peer that starts waits for its next round
				code, text := s.get("/readyz")
				return code == c.ready && (code == 200 || strings.Contains(text, c.says))
			})
			l.await("the log says it", time.Minute, func() bool { return strings.Contains(s.log(), c.says) })
			_, text := s.get("/metrics")
			for _, m := range c.metrics {
				if !strings.Contains(text, m) {
					t.Errorf("no metric %s", m)
				}
			}
			want := command.ExitOK
			if c.outcome == doctor.Fail {
				want = command.ExitNetwork
			}
			peerdtest.Doctor(t, want, "--dir", s.dir).Want(t, c.check, c.outcome, c.detail)
			if c.name == "an action ended" {
				if _, text := s.post("/v1/decisions", map[string]any{"id": "late", "exclude": []string{"b", "c"}}); !strings.Contains(text, `"counted":false`) {
					t.Errorf("a decision for it: %s", text)
				}
			}
			if c.name == "ended" {
				if d, _, text := s.decide("late"); d.Counted {
					t.Errorf("a decision after the end: %s", text)
				}
				s.stop()
				if !strings.Contains(s.log(), "peer ends") {
					t.Error("the log does not say that the peer has ended")
				}
			}
		})
	}
}

// useOneAction makes n decisions for one action, with all others excluded, and reports a reward
// for each, from which the peer learns.
func (s *labSite) useOneAction(n int) {
	s.Helper()
	for i := range n {
		id := fmt.Sprint("visit-", i)
		if code, text := s.post("/v1/decisions", map[string]any{"id": id, "exclude": []string{"b", "c"}}); code != 200 {
			s.Fatal(text)
		}
		if _, code, text := s.reward(id, 1); code != 200 && i < 5 {
			s.Fatal(text)
		}
	}
}

// strangerCalls connects a peer whose key is not in the network file.
func (s *labSite) strangerCalls() {
	s.Helper()
	d := require.Value(daemon.NewDeployment(s.sites[1].settings()))(s)
	c := d.HostConfig(1, slog.New(slog.DiscardHandler))
	c.Identity = gossip.SeedIdentity([32]byte{77})
	c.Peers[1].ID = c.Identity.ID()
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Second)
	defer cancel()
	if _, err := gossip.Probe(ctx, c, 0); err == nil {
		s.Error("a peer that is not in the network file was answered")
	}
}

// TestDoctorComparesWhereOthersDial: a peer that does not listen where the network file says is
// detected before it starts, with the setting that helps. The network file determines the length
// of a round.
func TestDoctorComparesWhereOthersDial(t *testing.T) {
	l := newLab(t, 2, "rounds.every", "70ms")
	s := l.sites[0]
	own := l.net.Peers[0].Addrs[0]
	peerdtest.Doctor(t, command.ExitNetwork, "--dir", s.dir).Want(t, "listen", doctor.Pass, own+", which this machine alone dials") // the neighbour does not run
	peerdtest.Doctor(t, command.ExitNetwork, "--dir", s.dir, "--set", "listen=/ip4/127.0.0.1/tcp/0").Want(t, "listen", doctor.Warn, "set listen: [/ip4/0.0.0.0/tcp/")
	l.net.Peers[0].Addrs = []string{"/ip4/192.0.2.7/tcp/8471"}
	l.writeNetwork()
	peerdtest.Doctor(t, command.ExitNetwork, "--dir", s.dir).Want(t, "listen", doctor.Fail, "set listen: [/ip4/0.0.0.0/tcp/8471]")
	peerdtest.Doctor(t, command.ExitNetwork, "--dir", s.dir, "--set", "listen=/ip4/0.0.0.0/tcp/8471").Want(t, "listen", doctor.Warn, "right only behind a router")

	file, err := os.ReadFile(s.config())
	if err != nil {
		t.Fatal(err)
	}
	without := strings.Replace(string(file), "every: 70ms", "", 1)
	require.NoError(t, os.WriteFile(s.config(), []byte(without), 0o600))
	c, err := plan.Schema().Load(s.config(), []string{"dir=" + s.dir})
	if err != nil || c.Rounds.Every != 70*time.Millisecond || c.From["rounds.every"] != config.FromNetwork {
		t.Errorf("rounds of %v from %s, %v", c.Rounds.Every, c.From["rounds.every"], err)
	}
}
