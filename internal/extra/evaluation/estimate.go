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
	deviations     = 5                 // standard errors, since there are many policies
	leastEffective = 30                // below, the normal distribution says nothing, so there is no interval
	mostMissing    = .95               // least mean weight that noise must be able to explain, and 1 / mostMissing the greatest
)

func around(value, half float64) *Interval { return &Interval{value, value - half, value + half} }

// sums1 are sums of numbers, for the interval of their mean.
type sums1 struct{ n, sum, squares float64 }

func (s *sums1) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

func (s *sums1) interval(deviations float64) *Interval {
	if s.n < 2 {
		return nil
	}
	mean := s.sum / s.n
	spread := max(0, s.squares-s.n*mean*mean) / (s.n - 1)
	return around(mean, deviations*math.Sqrt(spread/s.n))
}

// sums of the decisions to which a policy applies, with w the weight of a decision and r its reward.
type sums struct {
	left     uint64  // decisions to which it applies and that cannot be weighted
	weight   sums1   // of w, whose mean is 1 if all that the policy takes was possible
	ips, dr  sums1   // of w r, and of the doubly robust scores
	gain     sums1   // of these less r
	wwr, wrr float64 // of w² r and w² r²
	greatest float64
	untried  bool // it takes actions that no decision took
}

// add adds a decision of which a policy takes each action with a probability.
func (s *sums) add(d *weighed, p chances, q *fitted) {
	w := p.taken / d.pscore
	direct := 0.
	for i, chance := range p.all {
		if chance > 0 {
			direct += chance * q.reward(d, i)
			s.untried = s.untried || !d.tried[d.arms[i]]
		}
	}
	score := direct
	if w > 0 {
		score += w * (d.reward - q.reward(d, d.taken))
	}
	s.ips.add(w * d.reward)
	s.dr.add(score)
	s.gain.add(score - d.reward)
	s.weight.add(w)
	s.wwr += w * w * d.reward
	s.wrr += w * w * d.reward * d.reward
	s.greatest = max(s.greatest, w)
}

// tooHeavy reports whether chance does not explain a mean weight above 1, even if one more decision had not taken what the policy takes.
func (s sums) tooHeavy() bool {
	s.weight.add(0)
	return s.weight.n > leastEffective && s.weight.interval(deviations).Low > 1/mostMissing
}

// estimate returns what the sums say of a policy. If the propensities were stated, and not computed by the peer, they may be wrong.
func (s *sums) estimate(policy string, stated, wrong bool) Estimate {
	n := s.ips.n
	e := Estimate{Policy: policy, Decisions: uint64(n), Greatest: s.greatest, Support: n / (n + float64(s.left))}
	w, ww, wr := s.weight.sum, s.weight.squares, s.ips.sum
	if ww > 0 {
		e.Effective, e.Weight = w*w/ww, w/n
	}
	if !(e.Effective >= leastEffective) {
		return e
	}
	little := s.weight.interval(deviations).High < mostMissing // as where a policy takes actions that could not be taken
	if e.misstated = wrong || stated && little && !s.untried; e.misstated || little {
		return e
	}
	e.IPS, e.DR, e.Gain = s.ips.interval(normal), s.dr.interval(normal), s.gain.interval(normal)
	v := wr / w
	e.SNIPS = around(v, normal*math.Sqrt(max(0, s.wrr-2*v*s.wwr+v*v*ww))/w)
	return e
}
