package settings

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/wanted"
)

// description says in a paragraph what valid settings mean.
func description(s *config.Settings) string {
	sentences := []string{readMode(s), readBudget(s), readHorizon(s), readNoise(s), readProtocol(s), readWorld(s)}
	return strings.Join(strings.Fields(strings.Join(sentences, " ")), " ")
}

func readMode(s *config.Settings) string {
	if s.Mode == config.Lockstep {
		return fmt.Sprintf("Mode lockstep: not private, everything follows from seed %d, for simulated rewards alone.", s.Seed)
	}
	return fmt.Sprintf("Mode live: rewards of people, a round every %s by the clock, noise from the operating system.", config.DurationText(s.Rounds.Every))
}

func readBudget(s *config.Settings) string {
	if s.Privacy.Epsilon.Infinite() {
		return "The budget is infinite: what leaves a peer carries no noise and protects no one."
	}
	weak := ""
	if s.Privacy.Epsilon > config.WeakEpsilon {
		weak = " It is so weak that it protects almost no one."
	}
	return fmt.Sprintf("The budget is epsilon %s, delta %s, for the whole life of a peer and for one user, who has at most %s there.%s",
		config.ValueText(s.Privacy.Epsilon), config.ValueText(s.Privacy.Delta), config.Counted(s.Privacy.RecordsPerUser, "reward"), weak)
}

func readHorizon(s *config.Settings) string {
	h := s.Privacy.Rounds()
	if s.Privacy.Horizon == 0 {
		return "It covers every round: each reward lies in one release."
	}
	text := fmt.Sprintf("It covers %s", config.Counted(h, "round"))
	if s.Mode == config.Live && h <= uint64(math.MaxInt64/s.Rounds.Every) {
		text += fmt.Sprintf(", which last %s", config.DurationText(s.Rounds.Every*time.Duration(h)))
	}
	return text + fmt.Sprintf("; a run plays %d, and past the horizon a peer releases nothing more.", s.RoundCount())
}

func readNoise(s *config.Settings) string {
	charge, err := s.Charge()
	if err != nil || charge.Scale == 0 {
		return ""
	}
	return fmt.Sprintf("Mechanism %v has discrete %v noise of scale %.4g; a reward is at most 1.",
		charge.Mechanism, charge.Mechanism.Law(), math.Ldexp(float64(charge.Scale), dp.GridExponent))
}

func readProtocol(s *config.Settings) string {
	w := s.ProtocolParams().Words()
	text := fmt.Sprintf("Protocol %s: %s.", w.Name, w.Summary)
	if s.Privacy.Answers == config.Inside {
		text += " The site gives few decisions, and keeps all others."
	}
	if why := s.NothingGiven(); why != "" {
		text += fmt.Sprintf(" Note: %s.", why)
	}
	return text
}

func readWorld(s *config.Settings) string {
	text := fmt.Sprintf("Learner %s (%s) chooses between %s: %s; world %s pays.",
		s.Learner.Name, paramsText(s.LearnerParams()), config.Counted(uint64(len(s.Arms)), "arm"), config.Short(strings.Join(s.Arms, ", ")), s.World.Kind)
	if p := s.Simulated(); p.Spread != "" && s.Mode == config.Live {
		text += fmt.Sprintf(" With %s one person can be at several sites, and each promises the budget for itself.", p.Spread)
	}
	return text
}

// paramsText writes the parameters of an entry in one line.
func paramsText(params any) string {
	var all []string
	for f, x := range reflect.ValueOf(params).Fields() {
		if f.IsExported() {
			all = append(all, wanted.Key(f)+": "+config.ValueText(x.Interface()))
		}
	}
	return strings.Join(all, ", ")
}
