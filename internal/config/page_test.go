package config

import (
	"strings"
	"testing"
)

// TestTheFileOfANewFolderIsAPage: at most 60 lines, in which every key is one of the schema and stands once,
// with what is given, and nothing of what is not chosen.
func TestTheFileOfANewFolderIsAPage(t *testing.T) {
	begin := Site().Beginning(nil, false).Set
	_, values, err := Site().Given(append(begin, "arms=red,green", "privacy.epsilon=1", "dir=here", "protocol.phases.growth=1", "world.kind=application"))
	if err != nil {
		t.Fatal(err)
	}
	text := Site().Page("Peer 1.\n", values)
	if n := strings.Count(text, "\n"); n > 60 {
		t.Errorf("%d lines, want at most 60:\n%s", n, text)
	}
	for _, k := range Site().Keys() {
		if k.Page == "" {
			continue
		}
		if n := strings.Count(text, " # "+k.Page+"\n"); n != 1 || !strings.Contains(text, k.Last()+": ") {
			t.Errorf("%s stands there %d times, want once:\n%s", k.Page, n, text)
		}
	}
	for _, line := range []string{"  name: phases", "  phases:\n    growth: 1\n", "\n# Other\nworld:\n  kind: application\n", "\narms: [red, green] "} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q:\n%s", line, text)
		}
	}
	for _, other := range []string{"consensus", "bernoulli", "experiment"} {
		if strings.Contains(text, other) {
			t.Errorf("%s is not chosen:\n%s", other, text)
		}
	}
}
