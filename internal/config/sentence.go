package config

import "fmt"

// PromiseText states a promise in a sentence without its end, from the values of settings as text.
func PromiseText(site string, set func(key string) string) string {
	counts, horizon, records := "is public", "the site's whole life", "one record"
	if set("privacy.counts") == NoisedCounts {
		counts = "is hidden, too"
	}
	if n := set("privacy.records_per_user"); n != "1" {
		records = n + " records"
	}
	if h := set("privacy.horizon"); h != "0" {
		horizon = h + " rounds"
	}
	return fmt.Sprintf("ε %s and δ %s for %s of each user at %s, over %s; that a user was there %s",
		set("privacy.epsilon"), set("privacy.delta"), records, site, horizon, counts)
}
