package config

import (
	"fmt"
	"slices"
)

// replayArms is the number of treatments in the diabetes records.
const replayArms = 5

func worldPacts() []Pact {
	return []Pact{
		{[]string{"arms", "world.kind"}, "The records of replay know 5 arms.", func(s *Settings) string {
			if s.World.Kind == "replay" && len(s.Arms) != replayArms {
				return fmt.Sprintf("want %d names with %s, whose records know so many treatments", replayArms, s.With("world.kind"))
			}
			return ""
		}},
		{[]string{"world.means", "world.kind", "world.draw"}, "Bernoulli and gaussian need means, unless they are drawn; replay and application have none.", func(s *Settings) string {
			given, drawn := s.World.Kind == "replay" || s.World.Kind == Application, s.World.Draw != "given"
			switch {
			case given && len(s.World.Means) > 0:
				return fmt.Sprintf("want [] with %s, whose rewards are what happened", s.With("world.kind"))
			case !given && drawn && len(s.World.Means) > 0:
				return fmt.Sprintf("want [] with %s", s.With("world.draw"))
			case !given && !drawn && len(s.World.Means) == 0:
				return fmt.Sprintf("want a row of numbers as long as arms with %s", s.With("world.kind"))
			}
			return ""
		}},
		{[]string{"world.draw", "world.kind"}, "Only the means of bernoulli and gaussian are drawn.", func(s *Settings) string {
			if s.World.Draw != "given" && (s.World.Kind == "replay" || s.World.Kind == Application) {
				return fmt.Sprintf("want given with %s, whose rewards are what happened", s.With("world.kind"))
			}
			return ""
		}},
		{[]string{"world.kind", "mode"}, "An application's rewards are people's, so it is for slots alone.", func(s *Settings) string {
			if s.World.Kind == Application && s.Mode == Lockstep {
				return fmt.Sprintf("want a simulated one with %s, which protects nobody", s.With("mode"))
			}
			return ""
		}},
		{[]string{"api.fallback", "arms"}, "The fallback is one of the actions.", func(s *Settings) string {
			if f := s.API.Fallback; f != "" && !slices.Contains(s.Arms, f) {
				return fmt.Sprintf("want one of %s, or nothing", s.With("arms"))
			}
			return ""
		}},
		{[]string{"world.means", "arms"}, "A row of means is as long as the list of arms.", func(s *Settings) string {
			for i, row := range s.World.Means {
				if len(row) != len(s.Arms) {
					return fmt.Sprintf("want %d numbers a row with %s; row %d has %d", len(s.Arms), s.With("arms"), i, len(row))
				}
			}
			return ""
		}},
		{[]string{"world.means", "world.kind"}, "The means of bernoulli are probabilities.", func(s *Settings) string {
			for i, row := range s.World.Means {
				if s.World.Kind == "bernoulli" && slices.ContainsFunc(row, func(x float64) bool { return x < 0 || x > 1 }) {
					return fmt.Sprintf("want numbers from 0 to 1 with %s; see row %d", s.With("world.kind"), i)
				}
			}
			return ""
		}},
		{[]string{"world.means", "testnet.nodes"}, "There is one row of means for all peers, or one a peer.", func(s *Settings) string {
			if rows := len(s.World.Means); rows > 1 && rows != s.Testnet.Nodes {
				return fmt.Sprintf("want 1 row or as many as %s, not %d", s.With("testnet.nodes"), rows)
			}
			return ""
		}},
		{[]string{"world.clip", "mode"}, "Only lockstep leaves rewards unclipped.", func(s *Settings) string {
			if s.Mode == Slots && !s.World.Clip {
				return fmt.Sprintf("want true with %s: the noise is made for rewards in [0, 1]", s.With("mode"))
			}
			return ""
		}},
		{[]string{"world.cap", "privacy.records_per_user", "world.kind"}, "No patient of replay has more records than the promise counts.", func(s *Settings) string {
			if s.World.Kind == "replay" && s.World.Cap > s.Privacy.RecordsPerUser {
				return fmt.Sprintf("want at most %s, or the promise to a patient is false", s.With("privacy.records_per_user"))
			}
			return ""
		}},
	}
}
