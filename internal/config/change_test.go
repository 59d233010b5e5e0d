package config_test

import (
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
	"peerd.dev/protocol/running"
)

// TestNoChangeEndsPeers: a version with an address that no peer could go on with is refused before anyone votes for it.
func TestNoChangeEndsPeers(t *testing.T) {
	c, err := plan.Schema().Load(configtest.Write(t, configtest.Good(nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	change := func(addr string) error {
		was, is := configtest.ThreeSites(), configtest.ThreeSites()
		was.Version, was.Settings, is.Settings = 1, c.SharedSettings(), c.SharedSettings()
		is.Version, is.Peers[1].Addrs = 2, []string{addr}
		return c.CheckChange(was, is)
	}
	if err = change("/ip4/10.0.0.1/tcp/1/p2p/" + testID(1)); err != nil {
		t.Error(err)
	}
	for _, addr := range []string{"/ip4/10.0.0.1/tcp/1/p2p/" + testID(0), "/ip4/10.0.0.1", "/dns4/" + strings.Repeat("a", 300) + "/tcp/1"} {
		if err = change(addr); err == nil || !strings.Contains(err.Error(), "peers[1].addrs") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// TestAPeerIsRememberedByItsFirstID also after its key was replaced.
func TestAPeerIsRememberedByItsFirstID(t *testing.T) {
	for want, m := range map[string]config.Member{"a": {ID: "a"}, "b": {ID: "d", Former: []string{"b", "c"}}} {
		if got := m.FirstID(); got != want {
			t.Errorf("%+v: %s", m, got)
		}
	}
}

// TestNoPeerJoinsOrLeavesWhereRecordsAreDealt: others would get the records that a site has dealt already.
func TestNoPeerJoinsOrLeavesWhereRecordsAreDealt(t *testing.T) {
	c := require.Value(plan.Schema().Load(configtest.Write(t, configtest.Good(nil)), nil))(t)
	for kind, want := range map[string]string{"bernoulli": "", "replay": "deals its records"} {
		c.World.Kind = kind
		was, is := configtest.ThreeSites(), configtest.ThreeSites()
		was.Version, was.Settings, is.Settings = 1, c.SharedSettings(), c.SharedSettings()
		is.Version, is.Links = 2, [][2]int{{0, 1}}
		is.Peers[2].Standing = network.Gone
		if err := c.CheckChange(was, is); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestASettingChangesInTheNetwork: the protocol gets the value of the version, and what signatures are bound to stays.
func TestASettingChangesInTheNetwork(t *testing.T) {
	c, err := plan.Schema().Load(configtest.Write(t, configtest.Good(map[string]string{"protocol.name": "rows"})), nil)
	if err != nil {
		t.Fatal(err)
	}
	was, is := configtest.ThreeSites(), configtest.ThreeSites()
	was.Version, was.Settings, is.Settings = 1, c.SharedSettings(), c.SharedSettings()
	is.Version, is.Changed = 2, []network.Setting{{Key: "protocol.rows.pull", Value: "77"}}
	require.NoError(t, c.CheckChange(was, is))
	at := require.Value(c.In(is))(t)
	if p := at.ProtocolParams().(running.Params); p.Pull != 77 || c.ProtocolParams().(running.Params).Pull == 77 {
		t.Errorf("%+v", p)
	}
	if config.PolicyHash(&c.Settings, was, "") != config.PolicyHash(&c.Settings, is, "") {
		t.Error("the policy has changed")
	}
	for key, value := range map[string]string{
		"privacy.epsilon": "2", "protocol.rows.every": "5", "protocol.average.rate": "0.1", "protocol.rows.merge": "median", "rounds.every": "2s", "nothing": "1", "protocol.rows.f": "-1", "protocol.rows.pull": "[1]",
	} {
		is.Changed = []network.Setting{{Key: key, Value: value}}
		if err := c.CheckChange(was, is); err == nil {
			t.Errorf("%s can be %s", key, value)
		}
	}
}
