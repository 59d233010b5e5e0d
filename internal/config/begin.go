package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/site"
	"peerd.dev/protocol"
	"peerd.dev/protocol/table"
)

// A Beginning is what the file of a new folder has in addition to what was given.
type Beginning struct {
	Set    []string // settings, in the form of --set
	Note   string   // about one for which there is less room than a new folder takes; "" for none
	Chosen []string // who may see answers, and what was chosen because of what was given, each with the reason
}

// Beginning returns the settings of a new folder, given those in set: one of three starts, for actions alone, for
// features, and for numbers of rewards that are hidden. If the folder joins a network, set has the settings that all share, and
// no other of them is chosen.
func (s *Schema) Beginning(set []string, joins bool) (b Beginning) {
	c, _, err := s.Read("", set)
	if err != nil {
		return b // the reader of set reports it
	}
	x := start{c, joins, make(map[string]bool), &b}
	inside := c.Privacy.Answers == Inside || x.free(answersKey) && c.World.Kind == Application && c.API.Shadow != site.ShadowLearn
	byFeatures := len(c.Features.Context)+len(c.Features.Action) > 0 || bandit.TraitsOf(c.LearnerParams()).Contextual || protocol.TraitsOf(c.ProtocolParams()).Wide
	m, err := dp.ParseMechanism(c.Privacy.Mechanism)
	given := err == nil && !x.free(mechanismKey)
	switch {
	case byFeatures:
		x.features(inside)
	case c.Privacy.Counts == NoisedCounts:
		x.protocol(func(p protocol.Params) bool { return protocol.TraitsOf(p).NoisedCounts }, "its leaves close by the clock, so that their numbers can have noise")
		x.take(exposuresKey, 0, "which action is exposed next would show how many decisions there were")
	case given && m.Running():
		x.protocol(func(p protocol.Params) bool { return protocol.Suits(p, m) && !protocol.Suits(p, dp.EachLaplace) }, "it carries running sums, which the mechanism releases")
	}
	x.spare()
	x.noise(byFeatures || given && m.Law() == dp.Gaussian)
	x.answers(inside)
	if c.World.Kind == Application {
		x.take("api.subject", Required, "send each decision's user as subject, since the promise is for users that decisions name; a returning user counts once in the site's whole life, or k times with privacy.records_per_user: k and k times the noise")
	}
	if byFeatures {
		x.recommend()
	}
	for _, k := range s.keys {
		value := k.Begin
		if x.taken[k.Name] || slices.Contains(kept(), k.Name) {
			value = ValueText(c.Value(k.Name).Interface())
		}
		if value != "" && x.free(k.Name) && (k.Name != horizonKey || !c.running()) { // which only people can choose
			b.Set = append(b.Set, k.Name+"="+value)
		}
	}
	return b
}

// kept returns the settings that a new folder writes to its file although they are defaults, so that a
// later default changes no folder.
func kept() []string {
	return []string{mechanismKey, horizonKey, learnerKey, protocolKey, "api.window"}
}

// A start chooses the settings of a new folder that are not given.
type start struct {
	c     *Config
	joins bool
	taken map[string]bool
	b     *Beginning
}

// free reports whether a setting can be chosen here.
func (x *start) free(key string) bool {
	k, ok := x.c.Schema().Find(key)
	return ok && x.c.From[key] == FromDefault && (!x.joins || !k.Shared)
}

// take chooses a value, which is printed if there is a reason.
func (x *start) take(key string, value any, reason string) {
	if !x.free(key) {
		return
	}
	k, _ := x.c.Schema().Find(key)
	x.c.take(k, value)
	x.taken[key] = true
	if reason != "" {
		x.b.Chosen = append(x.b.Chosen, fmt.Sprintf("%s: %s (%s)", key, ValueText(x.c.Value(key).Interface()), reason))
	}
}

// features chooses what a learner by features needs. A program without one refuses the features.
func (x *start) features(inside bool) {
	if !bandit.TraitsOf(x.c.LearnerParams()).Contextual {
		t := protocol.TraitsOf(x.c.ProtocolParams())
		if l := byFeatures(inside && (t.Sites || !t.Wide)); l != nil {
			x.take(learnerKey, l.Words().Name, "it chooses by features")
		}
	}
	if !wide(x.c.ProtocolParams()) {
		x.protocol(wide, "it carries what a learner by features adds up")
	}
	x.take(exposuresKey, 0, "actions follow from the features of users, and the next user's must not follow from those before")
}

// byFeatures returns the first learner that chooses by features, or the first that also weighs each site's sums; nil if there is none.
func byFeatures(weighs bool) bandit.Params {
	for _, p := range bandit.Table() {
		l, err := bandit.New(p, bandit.Config{Arms: 1, Peers: 1})
		if _, bySite := l.(bandit.BySite); err == nil && bandit.TraitsOf(p).Contextual && (bySite || !weighs) {
			return p
		}
	}
	return nil
}

// protocol takes the first protocol that suits; none if this program lacks one, and then what was given is refused.
func (x *start) protocol(suits func(protocol.Params) bool, reason string) {
	if i := slices.IndexFunc(table.Protocols(), suits); i >= 0 {
		x.take(protocolKey, table.Protocols()[i].Words().Name, reason)
	}
}

// wide reports whether a protocol carries what learners by features add up.
func wide(p protocol.Params) bool { return protocol.TraitsOf(p).Wide }

// spare leaves room for actions that are added later, where any can be.
func (x *start) spare() {
	switch c := x.c; {
	case c.World.Kind != Application:
		x.take(spareKey, 0, "a simulated world has all its arms from the start")
	case bandit.TraitsOf(c.LearnerParams()).Contextual:
		x.take(spareKey, 0, "by features actions come and go with every decision")
	case c.Cadence().Epochs > 0:
		x.take(spareKey, 0, "in epochs all actions are explored")
	default:
		k, _ := c.Schema().Find(spareKey)
		most, _ := strconv.Atoi(k.Begin)
		room := max(0, min(most, mostArms-len(c.Arms)))
		if x.take(spareKey, room, ""); x.free(spareKey) && room < most {
			x.b.Note = fmt.Sprintf("spare_arms is %d instead of %d: with %d arms there is no room for more", room, most, len(c.Arms))
		}
	}
}

// noise chooses the mechanism that the protocol recommends.
func (x *start) noise(gaussian bool) {
	r := protocol.Recommend(x.c.ProtocolParams())
	if !gaussian && x.c.Privacy.Delta == 0 {
		x.take(mechanismKey, r.Pure.String(), "")
		return
	}
	x.take(mechanismKey, r.Gaussian.String(), "its noise is Gaussian")
	x.take(deltaKey, 1e-6, "Gaussian noise needs a delta")
}

// answers lets the site keep decisions where it can.
func (x *start) answers(inside bool) {
	if !inside || !x.free(answersKey) {
		return
	}
	x.c.Privacy.Answers = Inside
	if x.c.checkGive() != nil {
		x.take(answersKey, Anyone, "sites that keep decisions weigh what each other site releases, which these settings do not show")
		return
	}
	x.take(answersKey, Inside, "only this site's own people and users see what it answers; choose anyone if others do, such as with a shop window")
}

// recommend chooses what did best with a learner by features, of which nothing has to be otherwise.
func (x *start) recommend() {
	s := &x.c.Settings
	if s.World.Kind != Application {
		return
	}
	x.c.suitFeatures()
	// This share costs a twentieth of what random decisions lose, and gives an action of three a weight of at most 60.
	x.take(exploreKey, .05, "this share of decisions is random, so that every choice has a propensity, by which other policies are estimated")
	if _, _, by, ok := s.inputKeys(); ok && len(s.Features.Context) > 0 {
		x.take(by, s.Value(by).String(), "an action can be better for some values of the context than for others")
	}
	if s.Privacy.Answers == Inside { // kept sums have no noise, and plain records lose less
		return
	}
	centred := *x.c
	key := "learner." + s.Learner.Name + ".records"
	if k, ok := s.Schema().Find(key); ok && s.Privacy.Adjacency == dp.ReplaceOne.String() {
		centred.take(k, "centred")
		if field, _ := bandit.Check(centred.LearnerParams(), len(s.Arms)); field == "" { // else one number more than there is room for
			x.take(key, "centred", "half the noise in what is learned of rewards")
		}
	}
	i := slices.IndexFunc(table.Protocols(), wide)
	if first, ok := x.firstBatch(); ok && i >= 0 && s.Protocol.Name == table.Protocols()[i].Words().Name {
		x.take("protocol."+s.Protocol.Name+".first", first, "what the noise asks for in a network of three sites; a smaller first batch is mostly noise, a larger one comes later")
	}
}

// firstBatch returns the decisions of a first batch for three sites by the rule of protocol batch, if the noise is known.
func (x *start) firstBatch() (decisions int, ok bool) {
	charge, err := x.c.Charge()
	if err != nil || charge.Scale == 0 {
		return 0, false
	}
	noise := dp.Noise{Law: charge.Mechanism.Law(), Scale: charge.Scale, VarianceUnits: dp.VarianceScale}
	deviation := math.Ldexp(math.Sqrt(noise.Variance()), dp.GridExponent)
	return max(10, min(1_000_000, 10*int(math.Round(8.5*deviation/math.Sqrt(3))))), true
}
