package audit

import (
	"fmt"
	"slices"
)

// A Check is a question with an exact answer: one departure breaks the promise.
type Check struct {
	Name    string `json:"name"`
	What    string `json:"what"`
	Asked   uint64 `json:"asked"`
	Broken  uint64 `json:"broken"`
	Example string `json:"example,omitempty"` // the first broken one
}

// exact holds the answers.
type exact struct{ checks []Check }

// The exact checks, by index.
const (
	checkCharge = iota
	checkPaid
	checkSensitivity
	checkRestart
	checkTwin
	checkTraffic
	checkKept // only if some decisions are kept
)

func newExact(keeps bool) *exact {
	e := &exact{checks: []Check{
		checkCharge:      {Name: "charge", What: "one charge, which the configured budget pays, before anything is drawn, with the noise that it needs"},
		checkPaid:        {Name: "paid", What: "every node is one that the charge pays for, and is drawn once"},
		checkSensitivity: {Name: "sensitivity", What: "the user's rewards move all nodes together by no more than the charge pays for"},
		checkRestart:     {Name: "restart", What: "a peer started again has the same nodes and sends the same bytes"},
		checkTwin:        {Name: "twin", What: "given the same nodes, the other history makes the same choices and sends the same bytes"},
		checkTraffic:     {Name: "traffic", What: "number, order, rounds, addressees and sizes of messages are the same in both histories"},
	}}
	if keeps {
		e.checks = append(e.checks, Check{Name: "kept", What: "given the same nodes, kept decisions change no choice, no later gift and no byte"})
	}
	return e
}

// ask counts an answer; broken is empty if all is well.
func (e *exact) ask(check int, broken string) {
	c := &e.checks[check]
	c.Asked++
	if broken == "" {
		return
	}
	if c.Broken++; c.Broken == 1 {
		c.Example = broken
	}
}

// transcript checks what one play shows.
func (e *exact) transcript(t *transcript) {
	e.ask(checkCharge, t.chargeFault())
	e.ask(checkPaid, t.unpaid)
	e.ask(checkSensitivity, t.shiftFault())
	if t.crashed {
		fault := ""
		if t.departs != nil {
			fault = t.canary.Name + ": " + t.departs.Error()
		}
		e.ask(checkRestart, fault)
	}
}

// chargeFault compares peer 0's charge with its own noise, with the configured one, and with the
// budget.
func (t *transcript) chargeFault() string {
	budget := t.canary.setting.spec.Privacy.Budget
	if err := t.charge.Check(); err != nil {
		return err.Error()
	}
	if t.charge != t.asked {
		return fmt.Sprintf("%v with scale %d was charged, want %v with %d", t.charge.Loss, t.charge.Scale, t.asked.Loss, t.asked.Scale)
	}
	if ok, err := budget.Covers(t.charge.Loss); !ok || err != nil {
		return fmt.Sprintf("%v does not pay %v", budget, t.charge.Loss)
	}
	return ""
}

// shiftFault compares the difference between the histories in peer 0's nodes with the charge.
func (t *transcript) shiftFault() string {
	by := t.measure()
	if by.cost(t.nodes).Cmp(by.pays(&t.charge)) > 0 {
		return fmt.Sprintf("%s: %v %.4f", t.canary.Name, by, t.reach())
	}
	return ""
}

func (t *transcript) measure() measure { return measure(t.charge.Mechanism.Law()) }

// reach returns the ε or μ that a correct peer loses at most in this play.
func (t *transcript) reach() float64 { return t.measure().reach(t.measure().cost(t.nodes)) }

// twins compares a play and its twin, byte for byte.
func (e *exact) twins(first *transcript) {
	second, fault := first.twin, ""
	switch {
	case second == nil:
		return // the first play ended early
	case second.departs != nil:
		fault = second.departs.Error()
	case !slices.Equal(first.parts, second.parts):
		fault = "other arms were chosen or proposed"
	case !slices.EqualFunc(first.steps[0], second.steps[0], func(a, b step) bool { return a.gives == b.gives }):
		fault = "other decisions are to be given"
	case len(first.frames) != len(second.frames):
		fault = fmt.Sprintf("%d messages and %d", len(first.frames), len(second.frames))
	default:
		for i := range first.frames {
			if !first.frames[i].same(&second.frames[i]) {
				fault = fmt.Sprintf("message %d, of round %d, differs", i, first.frames[i].round)
				break
			}
		}
	}
	if fault != "" {
		fault = first.canary.Name + ": " + fault
	}
	if first.canary.kept {
		e.ask(checkKept, fault)
		return
	}
	e.ask(checkTwin, fault)
	if fault == "" && !first.canary.values && !first.canary.taken {
		e.ask(checkSensitivity, first.twinFault())
	}
}

// twinFault compares the actual difference of the values under a play's nodes and its twin's with
// the charge. shiftFault assumes that all rounds except the user's are equal, which is true only
// if no later choice depends on the user's record.
func (t *transcript) twinFault() string {
	if len(t.nodes) != len(t.twin.nodes) {
		return t.canary.Name + ": other nodes"
	}
	nodes := slices.Clone(t.nodes)
	for i := range nodes {
		nodes[i].exact[1] = t.twin.nodes[i].exact[1]
	}
	by := t.measure()
	if cost := by.cost(nodes); cost.Cmp(by.pays(&t.charge)) > 0 {
		return fmt.Sprintf("%s: %v %.4f, as the records of both histories are", t.canary.Name, by, by.reach(cost))
	}
	return ""
}

// sameTraffic compares two plays with the same coins and independent noise in everything except
// the released numbers.
func (e *exact) sameTraffic(canary string, a, b *transcript) {
	if a.departs != nil || b.departs != nil {
		return
	}
	fault := ""
	for i := range min(len(a.shape), len(b.shape)) {
		if a.shape[i] != b.shape[i] {
			fault = fmt.Sprintf("%s: message %d, of rounds %d and %d, differs", canary, i, a.shape[i].round, b.shape[i].round)
			break
		}
	}
	if fault == "" && len(a.shape) != len(b.shape) {
		fault = fmt.Sprintf("%s: %d messages and %d", canary, len(a.shape), len(b.shape))
	}
	e.ask(checkTraffic, fault)
}
