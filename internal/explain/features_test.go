package explain

import (
	"strings"
	"testing"
)

// TestThePageSaysWhatRecordsWithFeaturesAre: and it does not mention sums of the rewards of
// actions.
func TestThePageSaysWhatRecordsWithFeaturesAre(t *testing.T) {
	doc, page := explained(t, "-c", "../../configs/ldp-fedlinucb.yaml")
	page = strings.Join(strings.Fields(page), " ")
	for _, want := range []string{
		"replaced by one with other features and another reward from 0 to 1", "Every record is a vector of 20 numbers",
		"the L2 norm of what replacing one record changes", "chosen from released numbers and the features of the decision alone",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "a running sum of its rewards") || strings.Contains(page, "another from 0 to 1") {
		t.Error("the page speaks of sums of rewards of actions")
	}
	if doc.Mechanism.Features != 5 || doc.Mechanism.Centred || doc.Mechanism.Width != 20 {
		t.Errorf("%+v", doc.Mechanism)
	}
	doc, page = explained(t, "-c", "../../configs/ldp-fedlinucb.yaml", "--set", "learner.linucb.records=centred")
	if want := "6 features of the chosen action, of which the last is always 1/2, with each other and with twice what the reward is above 1/2"; !strings.Contains(strings.Join(strings.Fields(page), " "), want) {
		t.Errorf("the page of centred rewards does not say %q", want)
	}
	if doc.Mechanism.Features != 6 || !doc.Mechanism.Centred || doc.Mechanism.Width != 27 {
		t.Errorf("%+v", doc.Mechanism)
	}
}
