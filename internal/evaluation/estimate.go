package evaluation

import "math"

// An Interval is an estimate with its interval of 95 %.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

const (
	normal         = 1.959963984540054 // quantile .975 of the normal distribution
	leastEffective = 30                // below, the normal distribution says nothing, so there is no interval
)

func around(value, half float64) *Interval { return &Interval{value, value - half, value + half} }

// sums1 are sums of numbers, for the interval of their mean.
type sums1 struct{ n, sum, squares float64 }

func (s *sums1) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

func (s *sums1) interval() *Interval {
	if s.n < 2 {
		return nil
	}
	mean := s.sum / s.n
	spread := max(0, s.squares-s.n*mean*mean) / (s.n - 1)
	return around(mean, normal*math.Sqrt(spread/s.n))
}

// sums of the decisions to which a policy applies, with w the weight of a decision and r its reward.
type sums struct {
	left         uint64 // decisions to which it applies and that cannot be weighted
	ips, dr      sums1  // of w r, and of the doubly robust scores
	gain         sums1  // of these less r
	w, ww        float64
	wr, wwr, wrr float64 // of w r, w² r and w² r²
	greatest     float64
}

// add adds a decision of which a policy takes each action with a probability.
func (s *sums) add(d *weighed, p chances, q *fitted) {
	w := p.taken / d.pscore
	direct := 0.
	for i, chance := range p.all {
		if chance > 0 {
			direct += chance * q.reward(d, i)
		}
	}
	score := direct
	if w > 0 {
		score += w * (d.reward - q.reward(d, d.taken))
	}
	s.ips.add(w * d.reward)
	s.dr.add(score)
	s.gain.add(score - d.reward)
	s.w += w
	s.ww += w * w
	s.wr += w * d.reward
	s.wwr += w * w * d.reward
	s.wrr += w * w * d.reward * d.reward
	s.greatest = max(s.greatest, w)
}

// estimate returns what the sums say of a policy.
func (s *sums) estimate(policy string) Estimate {
	n := s.ips.n
	e := Estimate{Policy: policy, Decisions: uint64(n), Greatest: s.greatest, Support: n / (n + float64(s.left))}
	if s.ww > 0 {
		e.Effective = s.w * s.w / s.ww
	}
	if e.Effective < leastEffective {
		return e
	}
	e.IPS, e.DR, e.Gain = s.ips.interval(), s.dr.interval(), s.gain.interval()
	v := s.wr / s.w
	e.SNIPS = around(v, normal*math.Sqrt(max(0, s.wrr-2*v*s.wwr+v*v*s.ww))/s.w)
	return e
}
