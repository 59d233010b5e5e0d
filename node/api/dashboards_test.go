package api

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/require"
)

// TestDashboardsNameMetrics: every metric in the alerts and in the dashboard is a metric of a
// peer, every state of docs/operations.md has an alert, and every alert has a case that fires and one that does not.
// scripts/show.sh alerts evaluates them.
func TestDashboardsNameMetrics(t *testing.T) {
	f := newFake()
	f.until = time.Unix(2e9, 0)
	r := run(t, f)
	for range 2 { // counters of requests appear with the first request
		r.ask(t, "/v1/decisions", `{}`)
	}
	_, _, page := r.ask(t, "/metrics", "")
	named := regexp.MustCompile(`peerd_[a-z_]+`)
	for file, least := range map[string]int{"prometheus/peerd.rules.yml": 9, "prometheus/peerd.rules_test.yml": 9, "grafana/peerd.json": 15} {
		b := require.Value(os.ReadFile("../../deploy/" + file))(t)
		if strings.HasSuffix(file, ".json") && !json.Valid(b) {
			t.Errorf("%s is not JSON", file)
		}
		all := make(map[string]bool)
		for _, name := range named.FindAllString(string(b), -1) {
			if all[name] = true; !strings.Contains(page, "\n"+name+" ") && !strings.Contains(page, "\n"+name+"{") {
				t.Errorf("%s names %s, which no peer has", file, name)
			}
		}
		if len(all) < least {
			t.Errorf("%s names %d metrics: the test looks at too little", file, len(all))
		}
	}
	rules := require.Value(os.ReadFile("../../deploy/prometheus/peerd.rules.yml"))(t)
	cases := require.Value(os.ReadFile("../../deploy/prometheus/peerd.rules_test.yml"))(t)
	states := require.Value(os.ReadFile("../../docs/operations.md"))(t)
	_, table, _ := strings.Cut(string(states), "\n| state |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	alerts := named.FindAllString(string(rules), -1)
	for _, row := range rows {
		alert := func(name string) bool { return slices.Contains(alerts, name) }
		if !slices.ContainsFunc(named.FindAllString(row, -1), alert) && !strings.HasPrefix(row, "| the horizon of one action has ended") {
			t.Errorf("no alert is for the state of docs/operations.md in %s", row)
		}
	}
	if len(rows) < 12 {
		t.Errorf("%d states: the test looks at too few", len(rows))
	}
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		if n := strings.Count(string(cases), "alertname: "+m[1]+"\n"); n < 2 {
			t.Errorf("alert %s has %d cases, want one that fires and one that does not", m[1], n)
		}
	}
}
