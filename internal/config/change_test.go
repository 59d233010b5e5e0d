package config_test

import (
	"strings"
	"testing"

	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
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
