package explain

import (
	"strings"
	"testing"

	"peerd.dev/internal/configtest"
)

// TestThePageSaysWhatRewardsAre: their range, what is added up, and what an end shows.
func TestThePageSaysWhatRewardsAre(t *testing.T) {
	page := func(pairs ...string) string {
		t.Helper()
		changes := map[string]string{"world.kind": "application"}
		for i := 0; i < len(pairs); i += 2 {
			changes[pairs[i]] = pairs[i+1]
		}
		_, text := explained(t, "-c", configtest.Write(t, configtest.Good(changes)))
		return strings.Join(strings.Fields(text), " ")
	}
	if text := page(); strings.Contains(text, "api.reward_range") || strings.Contains(text, "shows nowhere") {
		t.Error("the defaults are explained")
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{page("api.reward_range", "[-1, 3]"), []string{"Rewards are from -1 to 3 (api.reward_range)", "in units of that range: 0 here is -1 there, and 1 is 3."}},
		{page("api.reward", "sum"), []string{"add up to one reward, which is clipped to the range", "How many there were shows nowhere"}},
		{page("api.reward", "last", "api.settle", "arrival"), []string{"The last report of a decision is its reward", "arrival also when the application ended its window"}},
		{page("api.settle", "arrival"), []string{"arrival also when its reward was reported, and whether"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("want %q in\n%s", want, c.text)
			}
		}
	}
}
