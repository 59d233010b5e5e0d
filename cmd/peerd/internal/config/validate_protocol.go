package config

import (
	"fmt"

	"peerd.dev/protocol"
)

func protocolPacts() []Pact {
	return []Pact{
		{
			[]string{"protocol.average.f", "protocol.average.consistency", "protocol.name", "testnet.topology", "testnet.nodes"},
			"Consistency robust needs more than 2f neighbours at every peer.", func(s *Settings) string {
				a := s.Protocol.Average
				if s.Protocol.Name != "average" || a.Consistency != protocol.Robust {
					return ""
				}
				degree, known := leastDegree(s.Testnet.Topology, s.Testnet.Nodes)
				if !known || (degree-1)/2 >= a.F {
					return ""
				}
				return fmt.Sprintf("want more than 2f neighbours with %s; %s gives some peer %d",
					s.With("protocol.average.consistency"), s.With("testnet.topology"), degree)
			},
		},
		{[]string{"protocol.rows.every", "privacy.horizon", "protocol.name"}, "The first row comes within the horizon.", func(s *Settings) string {
			if s.Protocol.Name == "rows" && s.Protocol.Rows.Every > s.Privacy.Horizon {
				return fmt.Sprintf("want at most %s, or no row is ever sent", s.With("privacy.horizon"))
			}
			return ""
		}},
		{[]string{"protocol.rows.f", "protocol.rows.merge", "protocol.name", "testnet.nodes"}, "A trimmed mean over N sites leaves one: N is at least 2f+1.", func(s *Settings) string {
			r := s.Protocol.Rows
			if s.Protocol.Name == "rows" && r.Merge == protocol.MergeTrimmed && r.F > (s.Testnet.Nodes-1)/2 {
				return fmt.Sprintf("want at most %d with %s and %s, or nothing is left to take the mean of",
					(s.Testnet.Nodes-1)/2, s.With("protocol.rows.merge"), s.With("testnet.nodes"))
			}
			return ""
		}},
	}
}
