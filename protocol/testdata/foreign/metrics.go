// Metrics of its own, which are given the peer: its exact rewards, and with a backup its folder.
package foreign

import "peerd.dev/node/api"

func metrics(all *[]api.Backend) {
	api.Measure(func(c api.Config, _ func(any)) api.Metrics {
		*all = append(*all, c.Backend)
		return nil
	})
}

// as vouch.Value[api.Meter] value in argument to api.Measure
