package plan_test

import (
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/printed"
)

// TestRawRecordsAreRefused where there are people, by the key, and where they would be of no use; in lockstep a peer is
// wrapped.
func TestRawRecordsAreRefused(t *testing.T) {
	for _, x := range []struct {
		file, key, value, follow string
		want                     printed.Raw
	}{
		{"ldp-fedlinucb", "experiment.raw.choices", "true", "choices", printed.Raw{Choices: true}},
		{"feducb-central", "experiment.raw.news", "5", "messages", printed.Raw{News: 5}},
		{"local-feducb", "experiment.raw.news", "5", "messages", printed.Raw{News: 5}},
	} {
		file, set := "../../../configs/"+x.file+".yaml", x.key+"="+x.value
		_, err := plan.Schema().Load(file, []string{set})
		if err == nil || !strings.Contains(err.Error(), x.key) || !strings.Contains(err.Error(), "not private") {
			t.Errorf("%s: %v", x.key, err)
		}
		lockstep := []string{set, "mode=lockstep", "seed=1"}
		c, err := plan.Schema().Load(file, lockstep)
		if err != nil {
			t.Fatal(err)
		}
		if raw := plan.ExperimentOf(&c.Settings).Raw; raw != x.want || raw.String() != x.follow {
			t.Errorf("%s: %+v", x.key, raw)
		}
		spec, err := c.Spec(nil, "")
		if err != nil || spec.Wrap == nil {
			t.Errorf("%s: a peer is not wrapped, %v", x.key, err)
		}
		_, err = plan.Schema().Load(file, append(lockstep, "protocol.name=local-printed"))
		if err == nil || !strings.Contains(err.Error(), x.key) || !strings.Contains(err.Error(), "one estimator") {
			t.Errorf("%s with estimators that take turns: %v", x.key, err)
		}
	}
}
