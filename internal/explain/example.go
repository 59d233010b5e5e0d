package explain

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/config"
	"peerd.dev/node/api"
)

// seen is the probability of an event in the example.
const seen = 0.1

// writeExample compares two histories of the site.
func (d *Document) writeExample(p *sections, s *config.Settings) {
	p.title("An example")
	low, high := s.API.Range().Ends()
	b, arms := d.Budget, s.Arms
	switch {
	case d.Unit.Adjacency == dp.AddOrRemove.String():
		p.say("In one history a user comes to this site, gets %s and has the reward %v. In the other the user never comes.", arms[0], high)
	case d.is(action) == protected:
		named := ""
		if n := s.Names(); n != nil {
			var names []string
			for _, f := range slices.Concat(n.Context.Features, n.Action.Features) {
				names = append(names, f.Name)
			}
			named = " (" + strings.Join(names, ", ") + ")"
		}
		p.say("A user comes to this site%s. In one history the features%s lead to %s, and the reward is %v. In the other they are others and lead to %s, and the reward is %v.", d.given(", and the decision is given"), named, arms[0], high, arms[1], low)
	default:
		p.say("A user comes to this site and gets %s%s. In one history the reward is %v, in the other it is %v.", arms[0], d.given(" in a given decision"), high, low)
	}
	if k := d.Unit.RecordsPerUser; k > 1 {
		p.say("The other %srewards of this user, %d at most in all, may differ as well.", d.given("given "), k)
	}
	plus := ""
	if b.Delta > 0 {
		plus = fmt.Sprintf(", plus %v", b.Delta)
	}
	p.say("All other users and rewards%s are the same in both%s. Whatever is seen outside of the site is at most e^ε = %s times as probable in one as in the other%s. What has probability %.0f%% in one has %s to %s in the other, so that nothing seen proves either.",
		d.given(" of given decisions"), d.given("; what is kept may differ"), ratioText(b.Epsilon), plus, 100*seen, percentDown(b.Seen[0]), percent(b.Seen[1]))
}

// seenIn returns between what the probability of an event lies in one history, if it is seen in the other.
func seenIn(l account.Loss) (between [2]float64, err error) {
	most, err := l.Power(seen)
	if err != nil {
		return between, err
	}
	not, err := l.Power(1 - seen)
	return [2]float64{1 - not, most}, err
}

// writeOdds puts the odds at several epsilons side by side.
func (d *Document) writeOdds(p *sections) {
	b := d.Budget
	p.title("Odds, by epsilon")
	p.say("Someone thinks two accounts of a user equally likely, odds of 1 : 1, and then sees everything that the peer ever sends. The table has what they can become at most. Other odds are multiplied by as much.")
	table := [][]string{{"ε", "odds", "is right", "finds of 100"}}
	if b.Square > 0 {
		table[0] = slices.Insert(table[0], 2, "except")
	}
	for _, epsilon := range epsilons(b.Epsilon) {
		loss, text := account.Loss{}, fmt.Sprint(epsilon)
		mu, err := account.Mu(0), error(nil)
		if b.Square == 0 {
			loss.Pure, err = account.Epsilon(epsilon)
		} else if mu, err = account.MuFor(epsilon, b.Delta); err == nil {
			loss.Square = account.Square(math.Ceil(float64(mu) * float64(mu) * account.Nano))
		}
		chance, wrong := loss.Chance()
		power, bad := loss.Power(0.05)
		if errors.Join(err, wrong, bad) != nil { // a δ for which no noise is enough
			continue
		}
		if epsilon == b.Epsilon {
			text += " (this site)"
		}
		row := []string{text, ratioText(epsilon) + " : 1", percent(chance), fmt.Sprintf("%.0f", math.Ceil(100*power-1e-6))}
		if b.Square > 0 {
			more := math.Erfc((epsilon/float64(mu)-float64(mu)/2)/math.Sqrt2) / 2
			digit := math.Pow10(int(math.Floor(math.Log10(more))))
			row = slices.Insert(row, 2, fmt.Sprintf("%.1g", math.Ceil(more/digit)*digit))
		}
		table = append(table, row)
	}
	p.add(api.Block{Table: table})
	note := "Is right: how often the person names the right account. Finds: of 100 users for whom a suspicion is true, by someone who wrongly suspects 5 of 100 others."
	if b.Square > 0 {
		note = fmt.Sprintf("All rows are for Gaussian noise and δ = %v. Except: the probability that the odds become larger. ", b.Delta) + note
	}
	p.say("%s", note)
}

// epsilons returns the rows of the table.
func epsilons(of float64) []float64 {
	list := append([]float64{.1, .3, 1, 2, 5}, of)
	slices.Sort(list)
	return slices.Compact(list)
}

// percentDown writes a probability, rounded down: it is a lower bound.
func percentDown(p float64) string { return fmt.Sprintf("%.1f%%", math.Floor(p*1000+1e-6)/10) }
