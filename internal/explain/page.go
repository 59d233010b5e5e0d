package explain

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/node/api"
	"peerd.dev/node/site"
)

// pageWidth is the width of the page in letters.
const pageWidth = 88

// sections collects the page.
type sections struct {
	all    []api.Section
	claims []claim // of its sentences
}

// claim notes what the last paragraph says of facts.
func (p *sections) claim(of ...claim) { p.claims = append(p.claims, of...) }

func (p *sections) title(text string) { p.all = append(p.all, api.Section{Title: text}) }

func (p *sections) add(b api.Block) {
	last := &p.all[len(p.all)-1]
	last.Blocks = append(last.Blocks, b)
}

// say adds a paragraph, item an item of a list.
func (p *sections) say(format string, args ...any) {
	p.add(api.Block{Text: fmt.Sprintf(format, args...)})
}

func (p *sections) item(format string, args ...any) {
	p.add(api.Block{Text: fmt.Sprintf(format, args...), Item: true})
}

// state adds a section of statements.
func (p *sections) state(title string, all []statement) {
	p.list(title, texts(all))
	for _, x := range all {
		p.claim(x.claims...)
	}
}

// list adds a section of items, if there are any.
func (p *sections) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	p.title(title)
	for _, x := range items {
		p.item("%s", x)
	}
}

// Sections returns the page in the words of the settings that the document is of.
func (d *Document) Sections(s *config.Settings) []api.Section { return d.page(s).all }

func (d *Document) page(s *config.Settings) *sections {
	p := new(sections)
	d.writeHead(p)
	d.writeShort(p, s)
	if d.Mechanism == nil {
		p.say("What leaves the peer carries no noise.")
		return p
	}
	d.writeExample(p, s)
	d.writeOdds(p)
	if len(d.Warnings) > 0 {
		p.title("Warnings")
		for _, x := range d.Warnings {
			p.item("%s. To do: %s.", x.What, x.Do)
			p.claim(x.claims...)
		}
	}
	d.writePromise(p, s)
	d.writeMechanism(p, s)
	d.writeHorizon(p, s)
	d.writeError(p, s)
	p.state("What is public, without noise", d.publicItems)
	p.state("What is protected", d.guardedItems)
	p.list("What is not covered", d.NotCovered)
	d.writeAssessment(p, s)
	p.title("Why it holds, and how to check it")
	for _, x := range d.Documents {
		p.item("%s: %s", x.Path, x.About)
	}
	p.item("peerd ledger export, peerd ledger verify: what a peer has really spent and released")
	p.item("peerd audit bundle: one signed file with this page, the ledger and what neighbours signed, for an auditor")
	return p
}

// Write prints the page.
func (d *Document) Write(w io.Writer, s *config.Settings) {
	_, _ = fmt.Fprintln(w, d.Heading())
	for _, section := range d.Sections(s) {
		_, _ = fmt.Fprintf(w, "\n%s\n", strings.ToUpper(section.Title))
		for _, b := range section.Blocks {
			writeBlock(w, b)
		}
	}
}

func writeBlock(w io.Writer, b api.Block) {
	if len(b.Table) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, row := range b.Table {
			_, _ = fmt.Fprintf(t, "\t%s\t\n", strings.Join(row, "\t"))
		}
		_ = t.Flush()
		return
	}
	mark := ""
	if b.Item {
		mark = "- "
	}
	for line := range strings.Lines(Wrap(b.Text, pageWidth-len(mark)-2)) {
		_, _ = fmt.Fprint(w, "  ", mark, line)
		mark = strings.Repeat(" ", len(mark))
	}
}

// writePromise has the fields of NIST SP 800-226 that no section below has.
func (d *Document) writePromise(p *sections, s *config.Settings) {
	b := d.Budget
	p.title("The promise, by the fields of NIST SP 800-226")
	p.item("Unit of privacy: one user with at most %s at this site (privacy.records_per_user).", config.Counted(d.Unit.RecordsPerUser, d.given("given ")+"reward"))
	key := "privacy.adjacency " + d.Unit.Adjacency
	if d.Unit.Adjacency == dp.AddOrRemove.String() {
		key = "privacy.counts noised"
	}
	p.item("Neighbours: %s (%s).", d.Unit.Neighbours, key)
	d.writeAdjacency(p)
	plus := ""
	if b.Delta > 0 {
		plus = ", plus δ"
	}
	p.item("Parameters: ε = %s (privacy.epsilon) and δ = %v (privacy.delta) for everything the peer sends over its whole life. Any event in what is sent is, under one history, at most e^ε = %s times as probable as under the other%s.",
		config.ValueText(s.Privacy.Epsilon), b.Delta, ratioText(b.Epsilon), plus)
	p.item("Model of trust: central within the site, whose peer holds its users' records and adds noise before anything leaves; local between sites, since no other site and no server is trusted with a record.")
	p.item("Against: %s.", d.Unit.Against)
	for _, x := range d.Promises {
		p.item("%s", x)
	}
	p.item("Queries: only the sums below, at times that follow from the settings and from public numbers. No one can ask for others.")
	p.item("Composition: all releases together are within the one budget, with choices that follow from earlier releases. Budgets of several sites, networks or folders add up.")
	p.item("Arithmetic: records are rounded to whole units, and sums and noise are whole numbers. No release is computed in floating point.")
	if d.World == config.Application {
		p.item("Data collection, access control: see Where data go, and Access and keys.")
	}
	p.item("Side channels: messages leave at a fixed moment of a round, with sizes that follow from released numbers. Limits are under What is not covered.")
	if b.Square == 0 {
		p.item("For experts: this implies μ-GDP with μ = %.4g, which is 2Φ⁻¹(e^ε/(1+e^ε)), and ρ-zCDP with ρ = %.4g, which is ε·tanh(ε/2). Both are the least for a pure ε.", b.Mu, b.Rho)
		return
	}
	p.item("For experts: what is charged is μ = %.4g of μ-GDP, %d in units of 1e-9 of μ², from which every pair (ε, δ) on its curve follows: ε = %.4g at this δ. The noise has ρ-zCDP with ρ = μ²/2 = %.4g, exactly. The probability at the top is Φ(μ/2).",
		b.Mu, b.Square, b.Used, b.Rho)
}

// writeAdjacency states to what zero-out amounts if a user's rewards are replaced.
func (d *Document) writeAdjacency(p *sections) {
	switch b := d.Budget; {
	case d.Unit.Adjacency == dp.AddOrRemove.String():
		text := ""
		if d.is(presence) == protected {
			text = "Numbers of rewards are noised, too: that the user was there is hidden like what the user paid. "
			p.claim(claim{presence, protected}, claim{number, protected})
		}
		p.item(text+"Where another user's rewards take the place of the first one's, the promise is ε = %.4g at the same δ.", b.Replaced)
	case d.Unit.Adjacency != dp.ZeroOut.String():
	case b.Replaced <= b.Used*(1+1e-6):
		p.item("If it is replaced by another value from 0 to 1, instead of 0, a reward moves a sum no further: the promise is then the same.")
	default:
		p.item("If it is replaced by another value, instead of 0, a reward moves a sum further: then the promise is ε = %.4g at the same δ.", b.Replaced)
	}
}

// actions states how many actions have sums.
func (m *mechanismDoc) actions() string {
	if m.Spare == 0 {
		return fmt.Sprintf("%d actions", m.Streams)
	}
	return fmt.Sprintf("%d actions, and of %d that the network can add,", m.Streams-int(m.Spare), m.Spare)
}

func (d *Document) writeMechanism(p *sections, s *config.Settings) {
	m := d.Mechanism
	p.title("How it works")
	if m.Rewards != "" {
		p.say("%s", m.Rewards)
	}
	sums := "a running sum of its rewards, clipped to [0, 1] and held"
	if d.Unit.Adjacency == dp.AddOrRemove.String() {
		sums = "running sums of its rewards, clipped to [0, 1], and of what each lacks to 1, which together count them. They are one vector"
	}
	mechanism, err := dp.ParseMechanism(m.Name)
	switch {
	case m.Features > 0:
		of, reward := fmt.Sprintf("%d features of the chosen action", m.Features), "the reward"
		switch {
		case m.Centred:
			of, reward = of+", of which the last is always 1/2,", "twice what the reward is above 1/2"
		case m.Width > m.Features*(m.Features+3)/2:
			reward += ", and its square"
		}
		p.say("Every record is a vector of %d numbers: the products of the %s with each other and with %s. Features have norm 1 at most, rewards are clipped to [0, 1], and sums are held in units of 2^%d. The sum over a %s, or over all of them, is released %s, up to %s, by mechanism %s. %s",
			m.Width, of, reward, m.Grid, m.Leaf, d.Horizon.Released, d.leavesText(), m.Name, m.About)
	case err == nil && !mechanism.Running():
		p.say("Each of the %s has a sum of its %srewards, clipped to [0, 1] and held in units of 2^%d. What each %s adds to them is released %s, by mechanism %s: its own sum, once, and every reward lies in one.",
			m.actions(), d.given("given "), m.Grid, m.Leaf, d.Horizon.Released, m.Name)
	default:
		p.say("Each of the %s has %s in units of 2^%d. It is released %s, up to %s, by mechanism %s. %s",
			m.actions(), sums, m.Grid, d.Horizon.Released, d.leavesText(), m.Name, m.About)
	}
	how, loss, deviation := "scale", fmt.Sprintf("%.4g (ε)", d.Budget.Epsilon), fmt.Sprintf(" Its standard deviation is %.4g rewards.", m.SD)
	if m.Law == dp.Gaussian.String() {
		how, loss, deviation = "standard deviation", fmt.Sprintf("%.4g (μ)", d.Budget.Mu), ""
	}
	if m.Features > 0 {
		p.say("The noise in every number that is drawn, the first included, is discrete %s of %s %.4g: %d (records of a user) × %.4g (the %s norm of what replacing one record changes in all that is drawn) / %s, exactly %d units.%s",
			lawText(m.Law), how, m.Scale, d.Unit.RecordsPerUser, m.Column*m.Sensitivity, m.Norm, loss, m.ScaleGrid, deviation)
	} else {
		p.say("The noise in everything that is drawn, the first included, is discrete %s of %s %.4g rewards: %d (rewards of a user) × %.4g (the %s norm of what a change of 1 in one release changes in all that is drawn) × %.4g (change of a reward) / %s, exactly %d units.%s",
			lawText(m.Law), how, m.Scale, d.Unit.RecordsPerUser, m.Column, m.Norm, m.Sensitivity, loss, m.ScaleGrid, deviation)
	}
	if d.Private {
		from := "released numbers alone"
		if m.Features > 0 {
			from = "released numbers and the features of the decision alone"
		}
		verb := "Actions" + d.given(" of given decisions") + " are chosen"
		if s.API.Shadow != site.NoShadow {
			verb = "The application chooses actions (api.shadow); what is proposed follows"
		}
		p.say("It is drawn exactly, in integers, from the operating system's generator, stored before it is sent, and never drawn again. %s from %s.", verb, from)
	}
}

// lawText returns a law's name in ordinary spelling.
func lawText(law string) string { return strings.ToUpper(law[:1]) + law[1:] }

// leavesText states how often a sum can be released.
func (d *Document) leavesText() string {
	return config.Counted(d.Mechanism.Leaves, d.Mechanism.Leaf)
}

func (d *Document) writeHorizon(p *sections, s *config.Settings) {
	h := d.Horizon
	p.title("Budget and horizon")
	if s.Privacy.Horizon == 0 {
		p.say("All of the budget is charged before the first release, and covers the peer's whole life: every reward lies in one release, so that there is no horizon. The budget does not refill. A new network starts with its own budget, and for a user of both the ε add up.")
		return
	}
	text := fmt.Sprintf("All of the budget is charged before the first release, for %s", config.Counted(h.Rounds, "round"))
	if h.Lasts != "" {
		text += fmt.Sprintf(" of %s, which last %s", h.Round, h.Lasts)
	}
	if h.End != nil {
		text += fmt.Sprintf(": from %s to %s", dateText(*h.Start), dateText(*h.End))
	}
	p.say("%s.", text)
	switch {
	case s.Cadence().Rounds > 0 && s.Mode == config.Live:
		p.say("A %s leaves every %s, whether anything happened or not.", s.Cadence().Noun, spanText(float64(s.Cadence().Rounds)*s.Rounds.Every.Seconds()))
	case !s.Cadence().SynchronousLeaves() && s.World.Kind == config.Application:
		p.say("An action that gets %s before that is no longer released, while the others still are.", config.Counted(h.Rounds, "reward"))
	}
	p.say("After that the peer releases nothing more; it continues to decide, to learn from others and to relay what they release. The budget does not refill. A new network starts with its own budget, and for a user of both the ε add up.")
}

func (d *Document) writeError(p *sections, s *config.Settings) {
	e := d.Error
	p.title("What the noise does to the results")
	if d.Mechanism.Features > 0 {
		p.say("The table is about sums of rewards; of a vector every number of a sum has that noise. What it does to choices depends on the features: `peerd experiment run` shows it. Of actions with one feature, which is 1:")
	}
	p.say("Standard deviation of the noise, in rewards, by the number of rewards of one action, at one decision a round:")
	table := [][]string{append(strings.Fields("rewards leaf terms sum mean average worst"), "of "+config.Counted(uint64(e.Sites), "site"), "chance")}
	for _, l := range e.After {
		row := []string{strconv.FormatUint(l.Rewards, 10), strconv.FormatUint(l.Leaf, 10), fmt.Sprintf("%.3g", l.Terms)}
		for _, sd := range []float64{l.Sum, l.Mean, l.Average, l.Worst, l.Merged, l.Sampling} {
			row = append(row, sdText(sd))
		}
		if table = append(table, row); l.Mean < 0.001 {
			break
		}
	}
	p.add(api.Block{Table: table})
	over := "over the rewards up to there"
	if s.Cadence().SynchronousLeaves() {
		over = fmt.Sprintf("over all %ss of the horizon, since an action may have that number of rewards at any of them", d.Mechanism.Leaf)
	}
	mixed := s.ProtocolParams().Words().Mixed
	p.say("Terms: how often the noise of one draw is in the sum, by variance. Sum, mean: of the action at that leaf. Average, worst: of the mean, %s. Of %s (%s): of the mean of their means, each of that number of rewards%s. Chance: the largest standard deviation that the randomness of the rewards themselves adds to one site's mean.",
		over, config.Counted(uint64(e.Sites), "site"), e.Source, mixed)
	if q := e.LeastNoise; q.Ratio < 1 {
		p.say("Of all mechanisms %s has the least noise for this budget and horizon: %.2g of this deviation, on average over all leaves.", q.Mechanism, q.Ratio)
	}
	switch {
	case e.Tenth == 0:
		p.say("The noise in a mean of one site does not fall to a standard deviation of 0.1 within the horizon, on average.")
	case e.Cent == 0:
		p.say("In a mean of one site the noise falls to a standard deviation of 0.1 at %s, on average, and not to 0.01 within the horizon.", config.Counted(e.Tenth, "reward"))
	default:
		p.say("In a mean of one site the noise falls to a standard deviation of 0.1 at %s, on average, and of 0.01 at %d.", config.Counted(e.Tenth, "reward"), e.Cent)
	}
}

// percent writes a probability, rounded up: it is a bound.
func percent(p float64) string {
	if p > 0.999 {
		return "100%"
	}
	return fmt.Sprintf("%.1f%%", math.Ceil(p*1000-1e-6)/10)
}

// ratioText writes e^ε, rounded up.
func ratioText(epsilon float64) string {
	if epsilon > 13 {
		return "a million"
	}
	ratio := math.Exp(epsilon)
	unit := math.Pow10(int(math.Floor(math.Log10(ratio))) - 2)
	return fmt.Sprintf("%.4g", math.Ceil(ratio/unit)*unit)
}

// sdText writes a standard deviation without an exponent.
func sdText(sd float64) string {
	if sd >= 100 {
		return fmt.Sprintf("%.0f", sd)
	}
	return fmt.Sprintf("%.2g", sd)
}

// dateText writes a time to the minute.
func dateText(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }

// spanText writes a time in seconds, in the greatest unit of which it has at least two.
func spanText(seconds float64) string {
	for _, unit := range []struct {
		name string
		long float64
	}{{"years", 365.25 * 86400}, {"days", 86400}, {"hours", 3600}, {"minutes", 60}} {
		if n := seconds / unit.long; n >= 2 {
			return fmt.Sprintf("%.3g %s", n, unit.name)
		}
	}
	if seconds < 1 {
		return fmt.Sprintf("%.3g ms", seconds*1000)
	}
	return fmt.Sprintf("%.3g s", seconds)
}
