package site

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// marked is a reward that looks like nothing else.
const marked = 0.7310585

// traces are the forms in which a reward could appear: as a float in both byte orders, in hex, in
// decimal with 3 to 17 digits, and as an integer of the lattice.
func traces(v float64) (all [][]byte) {
	bits, bits32 := math.Float64bits(v), math.Float32bits(float32(v))
	for _, b := range [][]byte{binary.BigEndian.AppendUint64(nil, bits), binary.LittleEndian.AppendUint64(nil, bits)} {
		all = append(all, b, []byte(hex.EncodeToString(b)))
	}
	for _, b := range [][]byte{binary.BigEndian.AppendUint32(nil, bits32), binary.LittleEndian.AppendUint32(nil, bits32)} {
		all = append(all, []byte(hex.EncodeToString(b)))
	}
	for digits := 3; digits <= 17; digits++ {
		for _, size := range []int{32, 64} {
			all = append(all, []byte(strings.TrimPrefix(strconv.FormatFloat(v, 'f', digits, size), "0")))
		}
	}
	all = append(all, []byte(strconv.FormatFloat(v, 'x', -1, 64)))
	for _, q := range []int64{int64(v * (1 << 20)), int64(v*(1<<20)) + 1} {
		all = append(all, protowire.AppendVarint(nil, protowire.EncodeZigZag(q)), []byte(fmt.Sprint(q)))
	}
	return all
}

// short is the length up to which forms can appear in noise and hashes by chance.
const short = 6

// found returns a long trace of the marked reward in b, and the number of short ones.
func found(b []byte) (long []byte, shorts int) {
	for _, t := range traces(marked) {
		switch {
		case len(t) <= short:
			shorts += bytes.Count(b, t)
		case bytes.Contains(b, t):
			long = t
		}
	}
	return long, shorts
}

// TestARewardStaysInside: a marked reward, or feature, is in no frame, ledger line, status, log
// line or error text, whatever happens to it, and only in private tables of the store. Every
// release here is of many rewards with noise; that releases are the only way out is tested with
// the curator.
func TestARewardStaysInside(t *testing.T) {
	t.Parallel()
	if long, shorts := found(fmt.Appendf(nil, "%v", marked)); long == nil || shorts == 0 {
		t.Fatal("the test does not find what it looks for")
	}
	for _, name := range protocols() {
		for features, settle := range []Settle{AtWindow, OnArrival} {
			t.Run(fmt.Sprint(name, "/", settle), func(t *testing.T) {
				for range 2 { // an estimate can begin with the same three digits
					if len(shown(t, name, settle, features)) == 0 {
						return
					}
				}
				for _, fault := range shown(t, name, settle, features) {
					t.Error(fault)
				}
			})
		}
	}
}

// shown plays with a marked reward, and returns where it may be visible in forms so short that
// they may be chance.
func shown(t *testing.T, name string, settle Settle, length int) (suspect []string) {
	t.Helper()
	private := map[store.Table]bool{store.Log: true, store.Snapshot: true, store.Decision: true}
	x := usual(name, settle)
	x.saveEvery = 30
	var features [][]float64
	if x.features = length; length > 0 { // the marked number is a feature as well
		private[store.Offer] = true
		features = [][]float64{{marked}, {marked}, {marked}}
	}
	r := newRig(t, x)
	r.start()
	var said bytes.Buffer
	tell := func(what any, err error) { fmt.Fprintf(&said, "%v %+v %v %+v\n", what, what, err, err) }
	inside := make(map[store.Table]bool)
	var last string
	for i := range 40 {
		last = fmt.Sprint(i)
		d, err := r.s.Decide(t.Context(), []decision.Ask{{ID: last, Features: features}}), error(nil)
		tell(d, err)
		for _, v := range []float64{marked, marked, marked + 1, -marked, 1 - marked} {
			tell(r.report(last, v))
		}
		tell(r.report("unknown", marked))
		if i%4 == 3 {
			r.round()
			tell(r.status(), r.s.Ready(t.Context()))
		}
		look(t, r, private, inside)
		if i%10 == 9 {
			r.crash()
			r.start()
		}
	}
	r.clock.add(2 * window)
	r.round()
	tell(r.report("39", marked))
	r.s.OnRemembered(left, protocol.Checkpoint{Records: 1 << 20}, true)
	r.stop()
	r.open()
	tell(r.s.Recover(nil))
	look(t, r, private, inside)
	ledgerLines := r.lines()
	r.stop()
	tell(r.report(last, marked))

	var frames, lines []byte
	for _, f := range r.net.frames {
		frames = append(frames, f.bytes...)
	}
	for _, l := range ledgerLines {
		lines = append(lines, l...)
	}
	// It was reported 80 times; a form found more often than by chance is visible.
	for what, b := range map[string][]byte{
		"an answer, error or status": said.Bytes(), "the log": []byte(r.logs.String()), "a frame": frames, "the ledger": lines,
	} {
		long, shorts := found(b)
		if long != nil {
			t.Errorf("%s holds the reward, as %q", what, long)
		}
		if shorts > 15 {
			suspect = append(suspect, fmt.Sprintf("%s holds the reward %d times in short", what, shorts))
		}
	}
	for table := range private {
		if !inside[table] && table != store.Snapshot { // there it is part of sums
			t.Errorf("table %d never held the reward: where was it?", table)
		}
	}
	if r.logs.String() == "" {
		t.Error("nothing was logged")
	}
	return suspect
}

// look looks for the reward in every table.
func look(t *testing.T, r *rig, private, inside map[store.Table]bool) {
	t.Helper()
	for table := store.Meta; table <= store.Receipt; table++ {
		for e, err := range r.s.store.Scan(table, nil, nil) {
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range [][]byte{e.Key, e.Value} {
				long, _ := found(part)
				switch {
				case long == nil:
				case private[table]:
					inside[table] = true
				default:
					t.Errorf("table %d holds the reward, as %q", table, long)
				}
			}
		}
	}
}

// TestPrivateTypesSayNothing: types that hold a reward or features print as private.
func TestPrivateTypesSayNothing(t *testing.T) {
	x := bandit.Features{marked, marked}
	p := bandit.Pull{Features: x, Reward: marked}
	e := logRecord{kind: logSettled, observations: []observation{{pull: p}}, played: &p}
	c := choice{value: marked, features: x}
	d := tx{written: []written{{"a", c.bytes()}}}
	m := recent{of: map[string][]byte{"a": c.bytes()}}
	state := binary.BigEndian.AppendUint64(nil, math.Float64bits(marked))
	n := snapshot{agent: state, world: state}
	ask := decision.Ask{ID: "a", Features: [][]float64{x, x}}
	ask.Taken = &decision.Taken{Action: "red", Propensity: marked}
	o := offered{context: x, actions: []offeredAction{{features: x}}}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q", "%g"} {
		for _, v := range []any{
			e, &e, e.observations, e.observations[0], *e.played, e.played, c, &c,
			[]choice{c},
			d, &d, d.written, d.written[0], m, &m, n, &n,
			bandit.Turn{Features: []bandit.Features{x}},
			ask, &ask, o, &o, o.actions,
			Offered{Context: x, Features: [][]float64{x}},
			Logged{Offered: Offered{Context: x}},
			[]decision.Ask{ask},
			decision.Report{ID: "a", Value: marked},
			ask.Taken, *ask.Taken,
			addend{value: marked},
			[]addend{{value: marked}},
			dp.NewSecret(vouch.For(state)),
		} {
			if long, shorts := found(fmt.Appendf(nil, format, v)); long != nil || shorts > 0 {
				t.Errorf("%s of a %T shows it", format, v)
			}
		}
	}
}
