package config

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"peerd.dev/dp"
)

// Description says in a paragraph what valid settings mean.
func (s *Settings) Description() string {
	sentences := []string{s.readMode(), s.readBudget(), s.readHorizon(), s.readNoise(), s.readProtocol(), s.readWorld()}
	return strings.Join(strings.Fields(strings.Join(sentences, " ")), " ")
}

func (s *Settings) readMode() string {
	if s.Mode == Lockstep {
		return fmt.Sprintf("Mode lockstep: not private, everything follows from seed %d, for simulated rewards alone.", s.Seed)
	}
	return fmt.Sprintf("Mode live: rewards of people, a round every %s by the clock, noise from the operating system.", DurationText(s.Rounds.Every))
}

func (s *Settings) readBudget() string {
	if s.Privacy.Epsilon.Infinite() {
		return "The budget is infinite: what leaves a peer carries no noise and protects no one."
	}
	weak := ""
	if s.Privacy.Epsilon > weakEpsilon {
		weak = " It is so weak that it protects almost no one."
	}
	return fmt.Sprintf("The budget is epsilon %s, delta %s, for the whole life of a peer and for one user, who has at most %s there.%s",
		ValueText(s.Privacy.Epsilon), ValueText(s.Privacy.Delta), Counted(s.Privacy.RecordsPerUser, "reward"), weak)
}

func (s *Settings) readHorizon() string {
	h := s.Privacy.Rounds()
	if s.Privacy.Horizon == 0 {
		return "It covers every round: each reward lies in one release."
	}
	text := fmt.Sprintf("It covers %s", Counted(h, "round"))
	if s.Mode == Live && h <= uint64(math.MaxInt64/s.Rounds.Every) {
		text += fmt.Sprintf(", which last %s", DurationText(s.Rounds.Every*time.Duration(h)))
	}
	return text + fmt.Sprintf("; a run plays %d, and past the horizon a peer releases nothing more.", s.RoundCount())
}

func (s *Settings) readNoise() string {
	charge, err := s.Charge()
	if err != nil || charge.Scale == 0 {
		return ""
	}
	return fmt.Sprintf("Mechanism %v has discrete %v noise of scale %.4g; a reward is at most 1.",
		charge.Mechanism, charge.Mechanism.Law(), math.Ldexp(float64(charge.Scale), dp.GridExponent))
}

func (s *Settings) readProtocol() string {
	w := s.ProtocolParams().Words()
	text := fmt.Sprintf("Protocol %s: %s.", w.Name, w.Summary)
	if s.Privacy.Answers == Inside {
		text += " The site gives few decisions, and keeps all others."
	}
	if why := s.NothingGiven(); why != "" {
		text += fmt.Sprintf(" Note: %s.", why)
	}
	return text
}

func (s *Settings) readWorld() string {
	text := fmt.Sprintf("Learner %s (%s) chooses between %s: %s; world %s pays.",
		s.Learner.Name, ParamsText(s.LearnerParams()), Counted(uint64(len(s.Arms)), "arm"), short(strings.Join(s.Arms, ", ")), s.World.Kind)
	if p := s.Simulated(); p.Spread != "" && s.Mode == Live {
		text += fmt.Sprintf(" With %s one person can be at several sites, and each promises the budget for itself.", p.Spread)
	}
	return text
}

// ParamsText writes the parameters of an entry in one line.
func ParamsText(params any) string {
	var all []string
	for f, x := range reflect.ValueOf(params).Fields() {
		if f.IsExported() {
			all = append(all, fieldKey(f)+": "+ValueText(x.Interface()))
		}
	}
	return strings.Join(all, ", ")
}

// Wrap breaks text into lines of at most width letters where words allow.
func Wrap(text string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case at > 0 && at+1+n > width:
			b.WriteByte('\n')
			at = 0
		case at > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
	return b.String()
}

// PromiseText states a promise in a sentence without its end, from the values of settings as text.
func PromiseText(site string, set func(key string) string) string {
	counts, horizon, records := "is public", "the site's whole life", "one record"
	if set("privacy.counts") == NoisedCounts {
		counts = "is hidden, too"
	}
	if n := set("privacy.records_per_user"); n != "1" {
		records = n + " records"
	}
	if h := set("privacy.horizon"); h != "0" {
		horizon = h + " rounds"
	}
	return fmt.Sprintf("ε %s and δ %s for %s of each user at %s, over %s; that a user was there %s",
		set("privacy.epsilon"), set("privacy.delta"), records, site, horizon, counts)
}
