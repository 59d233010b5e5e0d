package explain

import (
	"fmt"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/node/site"
)

// rewards says how reports of an application become rewards from 0 to 1; "" if each report is one.
func rewards(s *config.Settings) string {
	var all []string
	if low, high := s.API.Range().Ends(); low != 0 || high != 1 {
		all = append(all, fmt.Sprintf("Rewards are from %v to %v (api.reward_range), and each is scaled to a number from 0 to 1 before anything else. "+
			"Clipping, noise and every figure of rewards on this page are in units of that range: 0 here is %v there, and 1 is %v.", low, high, low, high))
	}
	switch s.API.Reward {
	case site.First:
	case site.Last:
		all = append(all, "The last report of a decision is its reward (api.reward: last). How many came before it shows nowhere.")
	case site.Sum:
		all = append(all, "The reports of a decision add up to one reward, which is clipped to the range (api.reward: sum). How many there were shows nowhere.")
	}
	return strings.Join(all, " ")
}

// shown says what shows of the time of reports with api.settle: arrival.
func shown(s *config.Settings) string {
	if s.API.Reward == site.First {
		return "when its reward was reported, and whether"
	}
	return "when the application ended its window, and whether"
}
