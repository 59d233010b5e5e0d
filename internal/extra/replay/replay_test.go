package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"peerd.dev/node/api/client"
)

// shadow is a peer in shadow mode.
type shadow struct {
	taken   map[string]client.Taken
	order   []string // of the ids that it did not know
	rewards map[string]float64
	over    bool // windows of decisions that were there are over
	off     bool // it is not in shadow mode
	named   bool // it demands a subject
	after   func()
}

func (s *shadow) DecideBatch(_ context.Context, asks []client.Ask) (out []client.DecisionOutcome, _ error) {
	for _, a := range asks {
		if s.off {
			out = append(out, client.DecisionOutcome{Status: 422, Problem: &client.Problem{
				Status: 422, Code: "invalid", Detail: "body.taken: is for shadow mode", Errors: []client.Flaw{{Location: "body.taken"}},
			}})
			continue
		}
		old, known := s.taken[a.ID]
		if known && old != *a.Taken {
			out = append(out, client.DecisionOutcome{Status: 409, Problem: &client.Problem{Status: 409, Code: "conflict"}})
			continue
		}
		if s.named && a.Subject != a.ID || !s.named && a.Subject != "" {
			out = append(out, client.DecisionOutcome{Status: 422, Problem: &client.Problem{Status: 422, Code: "invalid", Detail: "body.subject"}})
			continue
		}
		if s.taken[a.ID] = *a.Taken; !known {
			s.order = append(s.order, a.ID)
		}
		out = append(out, client.DecisionOutcome{Status: 200, Decision: &client.Decision{ID: a.ID, Action: a.Taken.Action, Repeated: known}})
	}
	return out, nil
}

func (s *shadow) RewardBatch(_ context.Context, rewards []client.Reward) (out []client.ReceiptOutcome, _ error) {
	for _, r := range rewards {
		_, known := s.rewards[r.ID]
		if s.over && !known {
			out = append(out, client.ReceiptOutcome{Status: 410, Problem: &client.Problem{Status: 410, Code: "expired"}})
			continue
		}
		s.rewards[r.ID] = r.Value
		out = append(out, client.ReceiptOutcome{Status: 200, Receipt: &client.Receipt{ID: r.ID, Duplicate: known}})
	}
	if s.after != nil {
		s.after()
	}
	return out, nil
}

func newShadow() *shadow {
	return &shadow{taken: make(map[string]client.Taken), rewards: make(map[string]float64)}
}

func (s *shadow) replay(actions ...string) *Replay {
	return &Replay{Actions: actions, Rate: 1e6, Units: func(r float64) float64 { return r }, Peer: s, Tell: func(Done) {}}
}

// read returns the records of a log and its error.
func read(log iter.Seq2[Record, error]) (all []Record, err error) {
	for r, err := range log {
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// obd opens the synthetic file of the Open Bandit Dataset's form.
func obd(t *testing.T) iter.Seq2[Record, error] {
	t.Helper()
	b, err := os.ReadFile("../evaluation/testdata/obd.csv")
	if err != nil {
		t.Fatal(err)
	}
	return OpenBandit(strings.NewReader(string(b)))
}

// TestALogHasUsersOfItsOwn where the peer demands that decisions name them; where it does not, the log is reported as it was before.
func TestALogHasUsersOfItsOwn(t *testing.T) {
	s := newShadow()
	r := s.replay("a", "b", "c", "d")
	s.named, r.Named = true, true
	if done, err := r.Run(t.Context(), obd(t)); err != nil || done.Decisions == 0 {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestALogIsReportedOnce: with what was taken, its propensity and its reward, also if it is interrupted and imported again.
func TestALogIsReportedOnce(t *testing.T) {
	s := newShadow()
	r := s.replay("a", "b", "c", "d")
	ctx, stop := context.WithCancelCause(t.Context())
	interrupted := errors.New("Ctrl-C")
	s.after = func() { stop(interrupted) }
	done, err := r.Run(ctx, obd(t))
	if !errors.Is(err, interrupted) || done.Decisions != batch || done.Line != batch+1 {
		t.Fatalf("%+v (%v)", done, err)
	}
	s.after = nil
	for again := range 2 {
		done, err = r.Run(t.Context(), obd(t))
		want := Done{Line: 401, Decisions: 400, Repeated: []uint64{batch, 400}[again], Rewards: 400}
		if err != nil || done != want {
			t.Fatalf("%+v, want %+v (%v)", done, want, err)
		}
	}
	all, err := read(obd(t))
	if err != nil || len(all) != 400 || len(s.taken) != 400 || len(s.rewards) != 400 {
		t.Fatalf("%d records, %d decisions, %d rewards (%v)", len(all), len(s.taken), len(s.rewards), err)
	}
	for i, x := range all {
		id := s.order[i]
		if want := (client.Taken{Action: r.Actions[x.Action], Propensity: x.Propensity}); s.taken[id] != want || s.rewards[id] != x.Reward {
			t.Errorf("line %d is reported otherwise", x.Line)
		}
	}
	s.over = true
	s.rewards = make(map[string]float64)
	if done, err = r.Run(t.Context(), obd(t)); err != nil || done.Expired != 400 || done.Rewards != 0 {
		t.Errorf("%+v (%v)", done, err)
	}
}

// TestVowpalWabbitsForms: cb and cb_adf, with tags, listed actions, and lines that only ask for a prediction.
func TestVowpalWabbitsForms(t *testing.T) {
	cb := "1:0:0.4 | a c\n| only asks\n3:0.5:0.2 'tag| b d\n\n1 2 4:1:0.5 3 | a:1 b:2.5\n"
	adf := "shared | s:1\n| a\n0:0.25:0.7 | b\n| c\n\n| a\n| only asks\n\n\n2:1:0.5 'x| a\n| b"
	for _, c := range []struct {
		log  iter.Seq2[Record, error]
		want []Record
	}{
		{Vowpal(strings.NewReader(cb), Costs{0, 1}), []Record{{1, "1:0:0.4 | a c", 0, .4, 1}, {3, "3:0.5:0.2 'tag| b d", 2, .2, .5}, {5, "1 2 4:1:0.5 3 | a:1 b:2.5", 3, .5, 0}}},
		{Vowpal(strings.NewReader("2:-1:0.4 | a\r\n2:0:1 |\r\n"), Costs{-1, 0}), []Record{{1, "2:-1:0.4 | a", 1, .4, 1}, {2, "2:0:1 |", 1, 1, 0}}},
		{VowpalADF(strings.NewReader(adf), Costs{0, 1}), []Record{{1, "shared | s:1\n| a\n0:0.25:0.7 | b\n| c", 1, .7, .75}, {10, "2:1:0.5 'x| a\n| b", 0, .5, 0}}},
	} {
		got, err := read(c.log)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d records, want %d (%v)", len(got), len(c.want), err)
			for i := range got {
				t.Logf("%d %q %d %v %v", got[i].Line, got[i].Text, got[i].Action, got[i].Propensity, got[i].Reward)
			}
		}
	}
	if text := fmt.Sprintf("%v %+v", Record{Reward: .7310585}, []Record{{Reward: .7310585}}); strings.Contains(text, "7310") {
		t.Error(text)
	}
}

// TestEqualLinesAreDecisionsOfTheirOwn: in one file, and in another one; but the same file, under whatever name, is there, and goes on
// where it ended, with or without a byte order mark and with other ends of lines.
func TestEqualLinesAreDecisionsOfTheirOwn(t *testing.T) {
	const head, monday = "item_id,click,propensity_score\n", "0,0,0.5\n1,1,0.3\n0,0,0.5\n0,0,0.5\n"
	const tuesday = "1,1,0.3\n" + monday
	s := newShadow()
	r := s.replay("a", "b")
	for i, c := range []struct {
		text                string
		decisions, repeated uint64
	}{
		{head + monday, 4, 0},
		{head + tuesday, 5, 0},
		{head + monday, 4, 4},
		{head + monday + monday, 8, 4},
		{"\ufeff" + strings.ReplaceAll(head+tuesday, "\n", "\r\n"), 5, 5},
	} {
		done, err := r.Run(t.Context(), OpenBandit(strings.NewReader(c.text)))
		if err != nil || done.Decisions != c.decisions || done.Repeated != c.repeated {
			t.Errorf("file %d: %+v, want %d, %d of them again (%v)", i, done, c.decisions, c.repeated, err)
		}
	}
	if len(s.taken) != 4+5+4 {
		t.Errorf("%d decisions", len(s.taken))
	}
}

// TestAByteOrderMarkIsReadOver: in all formats.
func TestAByteOrderMarkIsReadOver(t *testing.T) {
	for what, c := range map[string]struct {
		read func(r io.Reader) iter.Seq2[Record, error]
		text string
	}{
		"obd":        {OpenBandit, "item_id,click,propensity_score\n0,1,0.5\n"},
		"obd quoted": {OpenBandit, "\"item_id\",click,propensity_score\n0,1,0.5\n"},
		"vw":         {func(r io.Reader) iter.Seq2[Record, error] { return Vowpal(r, Costs{0, 1}) }, "1:0:0.5 | a\n"},
		"vw-adf":     {func(r io.Reader) iter.Seq2[Record, error] { return VowpalADF(r, Costs{0, 1}) }, "shared | a\n1:0:0.5 | a\n| b\n"},
	} {
		want, err := read(c.read(strings.NewReader(c.text)))
		if err != nil || len(want) != 1 {
			t.Fatalf("%s: %v", what, err)
		}
		if got, err := read(c.read(iotest.OneByteReader(strings.NewReader("\ufeff" + c.text)))); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d records (%v)", what, len(got), err)
		}
	}
}

// TestWrongLinesAreNamed: with their number and what is wanted, in words of this program; what came before is reported.
func TestWrongLinesAreNamed(t *testing.T) {
	const head = "item_id,click,propensity_score\n"
	open := func(text string) iter.Seq2[Record, error] { return OpenBandit(strings.NewReader(text)) }
	cb := func(text string) iter.Seq2[Record, error] { return Vowpal(strings.NewReader(text), Costs{0, 1}) }
	adf := func(text string) iter.Seq2[Record, error] { return VowpalADF(strings.NewReader(text), Costs{0, 1}) }
	broken := func(text string) io.Reader {
		return io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("broken")))
	}
	for _, c := range []struct {
		before int // decisions
		want   string
		log    iter.Seq2[Record, error]
	}{
		{0, "line 1: no column item_id; the number of columns is 0: want", open("")},
		{0, "line 1: no column propensity_score; the number of columns is 2, \"item_id,click\": want", open("item_id,click\n1,2\n")},
		{0, "line 1: no column item_id; the number of columns is 1, \"item_id;click;propensity_score\": " + wantColumns, open("item_id;click;propensity_score\n0;1;0.5\n")},
		{0, "line 1: no column item_id; the number of columns is 3: want", open("0,1,0.5\n")},
		{0, "line 1: no column item_id; the number of columns is 1: want", open("\xff\xfei\x00t\x00e\x00m\x00")},
		{0, "line 1: two columns click, \"item_id,click,propensity_score,click\": want one", open("item_id,click,propensity_score,click\n0,1,0.5,0\n")},
		{1, "line 3: a quotation mark is alone", open(head + "0,1,0.5\n0,1,\"0.5\n\n\n")},
		{0, "line 1: a quotation mark is alone", open("item_id,\"click\n0,1\n")},
		{2, "line 4: cannot be read: broken", OpenBandit(broken(head + "0,1,0.5\n0,1,0.5\n"))},
		{1, "line 4: want a line of at most 1048576 bytes", cb("1:0:1 | a\n\n| b\n1:0:1 | " + strings.Repeat("a", longestLine) + "\n")},
		{1, "line 2: cannot be read: broken", Vowpal(broken("1:0:1 | a\n"), Costs{0, 1})},
		{0, `line 2: propensity "1e-300": want a number from 0.000000001 to 1`, open(head + "0,1,1e-300\n")},
		{0, `line 2: propensity "": want a number from`, open(head + "0,1,\n")},
		{1, "line 3: item_id: want a whole number from 0", open(head + "0,1,0.5\n-1,1,0.5\n")},
		{0, "line 2: click: want a number from 0 to 1", open(head + "0,2,0.5\n")},
		{0, `line 2: propensity "0": want a number from`, open(head + "0,1,0\n")},
		{1, "line 3: want as many cells as the first line has", open(head + "0,1,0.5\n\x00\x00\x00")},
		{0, "line 2: this is number 3 of the log's actions", open(head + "2,1,0.5\n")},
		{0, "line 1: this is the form cb_adf", cb("shared | a\n| b\n")},
		{1, "line 2: want an action from 1", cb("1:0:1 | a\n0:0:0.5 | b\n")},
		{0, "line 1: no |", cb("1:0:1 a\n")},
		{0, "other labels of Vowpal Wabbit are not read", cb("1:0 | a\n")},
		{0, "line 1: the cost is not from 0 to 1: --costs", cb("1:7:0.5 | a\n")},
		{0, "line 2: a second action of the paragraph has a cost", adf("1:0:0.5 | a\n1:0:0.5 | b\n")},
	} {
		s := newShadow()
		_, err := s.replay("a", "b").Run(t.Context(), c.log)
		if line := new(LineError); !errors.As(err, &line) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if len(s.rewards) != c.before {
			t.Errorf("%s: %d rewards before", c.want, len(s.rewards))
		}
	}
	s := newShadow()
	s.off = true
	if _, err := s.replay("a", "b", "c", "d").Run(t.Context(), obd(t)); err == nil || !strings.Contains(err.Error(), "line 2: 422 invalid: body.taken") {
		t.Error(err)
	}
}
