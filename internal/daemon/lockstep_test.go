package daemon

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

// TestLockstepIsHandedOver: a program that hands over no lockstep refuses the mode, before it looks at files.
func TestLockstepIsHandedOver(t *testing.T) {
	c, err := plan.Schema().Load("", []string{
		"mode=lockstep", "seed=1", "dir=" + t.TempDir(), "arms=red,green", "privacy.epsilon=1", "privacy.horizon=50",
		"world.kind=bernoulli", "world.bernoulli.means=[[0.2, 0.8]]", "testnet.nodes=2", "testnet.topology=path",
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(&c.Settings, Options{}, slog.New(slog.DiscardHandler))
	if !errors.Is(err, config.ErrRefused) || !strings.HasPrefix(err.Error(), "mode: lockstep is for comparisons") {
		t.Error(err)
	}
	if _, err = config.Site().Load("", []string{"mode=lockstep", "arms=red,green", "privacy.epsilon=1"}); err == nil || !strings.Contains(err.Error(), "mode: lockstep") || !strings.Contains(err.Error(), "want live") {
		t.Errorf("a site's schema says %v", err)
	}
}
