package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/site"
	"peerd.dev/protocol"
)

// kept returns the settings that a new folder writes to its file although they are defaults, so that a
// later default changes no folder.
func kept() []string {
	return []string{mechanismKey, horizonKey, learnerKey, protocolKey, "api.window"}
}

// suiting returns the settings that must suit each other, in the order in which a new folder completes them: each suits
// those before it, and those that were given.
func suiting() []string {
	return []string{learnerKey, protocolKey, mechanismKey, deltaKey, "api.min_exposures", spareKey, answersKey}
}

const (
	protocolKey = "protocol.name"
	deltaKey    = "privacy.delta"
	horizonKey  = "privacy.horizon"
	spareKey    = "spare_arms"
	exploreKey  = "learner.explore"
	firstKey    = "protocol.batch.first"
	answersKey  = "privacy.answers"
)

// A Beginning is what the file of a new folder has in addition to what was given.
type Beginning struct {
	Set    []string // settings, in the form of --set
	Note   string   // about one for which there is less room than a new folder takes; "" for none
	Chosen []string // who may see answers, and what was chosen because of what was given, each with the reason
}

// Beginning returns the settings of a new folder, given those in set: recommendations, and what suits the settings that
// were given. If the folder joins a network, set has the settings that all share, and no other of them is chosen.
func (s *Schema) Beginning(set []string, joins bool) (b Beginning) {
	given, err := parseSet(set)
	if err != nil {
		return b // the reader of set reports it
	}
	c, _, err := s.Read("", set)
	if err != nil {
		return b
	}
	x := completion{c: c, open: make(map[string]bool), chosen: make(map[string]string)}
	x.inside = c.Privacy.Answers == Inside || given[answersKey] == nil && c.World.Kind == Application && c.API.Shadow != site.ShadowLearn
	for _, key := range suiting() {
		k, _ := s.Find(key)
		x.open[key] = given[key] == nil && (!joins || !k.Shared)
	}
	x.open[horizonKey] = given[horizonKey] == nil // which only people can choose
	for _, key := range suiting() {
		if x.open[key] {
			x.complete(key)
		}
	}
	if given[answersKey] == nil && c.Privacy.Answers == Inside {
		x.choose(answersKey, "only this site's own people and users see what it answers; choose anyone if others do, such as with a shop window")
	}
	x.recommend(func(k Key) bool { return given[k.Name] == nil && (!joins || !k.Shared) })
	for _, k := range s.keys {
		value := k.Begin
		_, chosen := x.chosen[k.Name]
		if chosen || slices.Contains(kept(), k.Name) || slices.Contains(suiting(), k.Name) {
			value = ValueText(c.Value(k.Name).Interface())
		}
		plain := value == k.Default && !chosen && !slices.Contains(kept(), k.Name)
		if value == "" || plain || given[k.Name] != nil || joins && k.Shared || k.Name == horizonKey && x.running() {
			continue
		}
		b.Set = append(b.Set, k.Name+"="+value)
	}
	for _, key := range x.order {
		b.Chosen = append(b.Chosen, fmt.Sprintf("%s: %s (%s)", key, ValueText(c.Value(key).Interface()), x.chosen[key]))
	}
	if room := x.room(); given[spareKey] == nil && !joins && x.chosen[spareKey] == "" && room < beginSpare(s) {
		b.Note = fmt.Sprintf("spare_arms is %d instead of %d: with %d arms there is no room for more", room, beginSpare(s), len(c.Arms))
	}
	return b
}

// beginSpare returns how many actions a new folder has room for.
func beginSpare(s *Schema) int {
	k, _ := s.Find(spareKey)
	n, _ := strconv.Atoi(k.Begin)
	return n
}

// A completion chooses settings that suit those that are there.
type completion struct {
	c      *Config
	open   map[string]bool   // settings that are not chosen yet
	chosen map[string]string // reasons, by setting, of those that are not as in a folder for which nothing is given
	order  []string          // in which these were chosen
	inside bool              // answers may be for the site's own people and users alone
}

func (x *completion) choose(key, reason string) {
	x.chosen[key], x.order = reason, append(x.order, key)
}

// refuse takes back the newest choice.
func (x *completion) refuse(key string) {
	k, _ := x.c.Schema().Find(key)
	x.c.take(k, k.Default)
	delete(x.chosen, key)
	x.order = x.order[:len(x.order)-1]
}

// complete chooses the first candidate that breaks no constraint; none if all break one.
func (x *completion) complete(key string) {
	k, _ := x.c.Schema().Find(key)
	was, reason := x.c.Value(key).Interface(), ""
	x.open[key] = false
	for _, value := range x.candidates(key) {
		x.c.take(k, value)
		broken := x.broken(key)
		if broken == "" {
			if reason != "" {
				x.choose(key, strings.TrimSuffix(reason, "."))
			}
			return
		}
		if reason == "" {
			reason = broken
		}
	}
	x.c.take(k, was)
}

// candidates returns the values of a setting, the one of a folder for which nothing is given first.
func (x *completion) candidates(key string) (all []any) {
	s := x.c.Schema()
	switch key {
	case learnerKey:
		all = append(all, x.c.Learner.Name)
		if x.inside {
			all = append(all, bandit.PersonalizedLinearParams{}.Words().Name)
		}
		for _, l := range s.with.Learners {
			all = append(all, l.Words().Name)
		}
	case protocolKey:
		all = append(all, x.c.Protocol.Name)
		for _, p := range s.with.Protocols {
			all = append(all, p.Words().Name)
		}
	case mechanismKey:
		r := protocol.Recommend(x.c.ProtocolParams())
		all = append(all, r.Pure.String(), r.Gaussian.String())
		for _, m := range s.with.mechanisms(func(dp.Mechanism) bool { return true }) {
			all = append(all, m)
		}
	case deltaKey:
		all = append(all, 0., 1e-6)
	case spareKey:
		all = append(all, x.room(), 0)
	case answersKey:
		if x.inside {
			all = append(all, Inside)
		}
		all = append(all, Anyone)
	default:
		all = append(all, int(x.c.API.MinExposures), 0)
	}
	return all
}

// room returns how many spare actions a new folder has.
func (x *completion) room() int {
	return max(0, min(beginSpare(x.c.Schema()), mostArms-len(x.c.Arms)))
}

// broken returns the sentence of a constraint on a setting that does not hold, of those about settings that are chosen;
// "" if there is none.
func (x *completion) broken(key string) string {
	s := &x.c.Settings
	bad := make(map[string]bool) // never ranged over, except for prefixes
	for _, k := range s.Schema().keys {
		bad[k.Name] = k.Rule.Check(s.Value(k.Name)) != ""
	}
	for _, p := range s.Schema().with.Constraints {
		if k, _ := s.Schema().Find(p.Keys[0]); !k.Shared && !slices.Contains(suiting(), k.Name) {
			continue // what a site wants for itself chooses nothing for the network
		}
		if !slices.Contains(p.Keys, key) || slices.ContainsFunc(p.Keys, func(k string) bool { return x.open[k] || s.isBad(k, bad) }) {
			continue
		}
		if p.Broken(s) != "" {
			return p.Doc
		}
	}
	return ""
}

// running reports whether the mechanism needs a horizon.
func (x *completion) running() bool {
	m, err := dp.ParseMechanism(x.c.Privacy.Mechanism)
	return err == nil && m.Running()
}

// recommend chooses what did best with a learner by features, of which nothing has to be otherwise.
func (x *completion) recommend(free func(Key) bool) {
	s := &x.c.Settings
	if !bandit.TraitsOf(s.LearnerParams()).Contextual || s.World.Kind != Application {
		return
	}
	x.c.suitFeatures()
	choose := func(key string, value any, reason string) {
		if k, ok := s.Schema().Find(key); ok && free(k) && s.Applies(k) {
			x.c.take(k, value)
			x.choose(key, reason)
		}
	}
	choose(exploreKey, beginExplore, "this share of decisions is random, so that every choice has a propensity, by which other policies are estimated")
	_, _, by, ok := s.inputKeys()
	if ok && len(s.Features.Context) > 0 {
		choose(by, s.Value(by).String(), "an action can be better for some values of the context than for others")
	}
	inside := s.Privacy.Answers == Inside
	if s.Privacy.Adjacency == dp.ReplaceOne.String() && !inside { // kept sums have no noise, and plain records lose less
		key := "learner." + s.Learner.Name + ".records"
		choose(key, string(bandit.CentredRewards), "half the noise in what is learned of rewards")
		if field, _ := bandit.Check(s.LearnerParams(), len(s.Arms)); field != "" && slices.Contains(x.order, key) { // one number more than there is room for
			x.refuse(key)
		}
	}
	if first, ok := x.firstBatch(); ok && !inside {
		choose(firstKey, first, "what the noise asks for in a network of three sites; a smaller first batch is mostly noise, a larger one comes later")
	}
}

// firstBatch returns the decisions of a first batch for three sites by the rule of protocol batch, if the noise is known.
func (x *completion) firstBatch() (decisions int, ok bool) {
	charge, err := x.c.Charge()
	if err != nil || charge.Scale == 0 {
		return 0, false
	}
	noise := dp.Noise{Law: charge.Mechanism.Law(), Scale: charge.Scale, VarianceUnits: dp.VarianceScale}
	deviation := math.Ldexp(math.Sqrt(noise.Variance()), dp.GridExponent)
	return max(10, min(1_000_000, 10*int(math.Round(8.5*deviation/math.Sqrt(3))))), true
}

// beginExplore is the share of random decisions that new folders take with a learner by features. It costs a twentieth of
// what random decisions lose, and gives an action of three a weight of at most 60.
const beginExplore = .05
