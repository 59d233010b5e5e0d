package plan_test

import (
	"strings"
	"testing"

	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
)

// TestEachBundleOfSettingsIsSwept: settings that go together are crossed with the values of others, and take precedence.
func TestEachBundleOfSettingsIsSwept(t *testing.T) {
	file := configtest.Write(t, configtest.Good(map[string]string{"experiment.cells": `[
  {name: first},
  {name: swept, each: [
    {name: average, set: {protocol.name: average}},
    {set: {protocol.name: [rows, phases], privacy.mechanism: kary}},
    {name: no noise, set: {privacy.epsilon: inf, privacy.mechanism: none}}],
   set: {privacy.epsilon: [1, 2], mode: lockstep, seed: 1}}]`}))
	c, err := plan.Schema().Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, cell := range plan.Expand(plan.ExperimentOf(&c.Settings).Cells) {
		got = append(got, cell.Name+": "+strings.Join(cell.Set, " "))
	}
	const want = `first: 
swept, average, ε = 1: mode=lockstep seed=1 privacy.epsilon=1 protocol.name=average
swept, average, ε = 2: mode=lockstep seed=1 privacy.epsilon=2 protocol.name=average
swept, ε = 1, rows: mode=lockstep seed=1 privacy.epsilon=1 privacy.mechanism=kary protocol.name=rows
swept, ε = 1, phases: mode=lockstep seed=1 privacy.epsilon=1 privacy.mechanism=kary protocol.name=phases
swept, ε = 2, rows: mode=lockstep seed=1 privacy.epsilon=2 privacy.mechanism=kary protocol.name=rows
swept, ε = 2, phases: mode=lockstep seed=1 privacy.epsilon=2 privacy.mechanism=kary protocol.name=phases
swept, no noise: mode=lockstep seed=1 privacy.epsilon=inf privacy.mechanism=none`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
