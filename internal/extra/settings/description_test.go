package settings

import (
	"strings"
	"testing"

	"peerd.dev/internal/config"
)

// TestTheDescriptionSaysThatNothingIsGiven.
func TestTheDescriptionSaysThatNothingIsGiven(t *testing.T) {
	c, _, err := config.Site().Read("", []string{"arms=red,green", "give.sites=2", "privacy.answers=inside", "privacy.epsilon=1"})
	if err != nil {
		t.Fatal(err)
	}
	if why := c.NothingGiven(); why == "" || !strings.Contains(description(&c.Settings), why) {
		t.Errorf("%q is not in %q", why, description(&c.Settings))
	}
}
