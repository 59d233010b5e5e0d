package config

// A Losing setting is allowed, but regret is linear with it: a site cannot learn within the
// horizon which action is best.
type Losing struct {
	Key  string `json:"key"`
	What string `json:"what"`
	Do   string `json:"do"`
}
