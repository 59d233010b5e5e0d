package api

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// TestASessionOfPersonalizer plays the requests of the examples in that service's specification,
// with the names of our actions, and with the repetitions that its applications make.
func TestASessionOfPersonalizer(t *testing.T) {
	f := newFake()
	f.choice = "blue"
	r := run(t, f)
	const (
		id   = "75269AD0-BFEE-4598-8196-C57383D38E10"
		rank = `{"contextFeatures":[{"timeOfDay":"Morning"}],"actions":[{"id":"red","features":[{"type":"News"}]},{"id":"green","features":[{"type":"Sports"}]},` +
			`{"id":"blue","features":[{"type":"Entertainment"}]}],"excludedActions":["green"],"eventId":"` + id + `","deferActivation":false}`
		reward = "/personalizer/v1.0/events/" + id + "/reward"
	)
	for _, c := range []struct {
		chance             float64
		path, body, answer string
		status             int
	}{
		{.8, reward, `{"value":1}`, `{"error":{"code":"ResourceNotFound","message":"no such decision","target":"eventId","innerError":{"code":"unknown"}}}`, 404},
		{.8, personalizerRank, rank, `{"ranking":[{"id":"blue","probability":0.8},{"id":"green","probability":0},{"id":"red"}],"eventId":"` + id + `","rewardActionId":"blue"}`, 201},
		{.8, personalizerRank, rank, `{"ranking":[{"id":"blue","probability":0.8},{"id":"green","probability":0},{"id":"red"}],"eventId":"` + id + `","rewardActionId":"blue"}`, 201},
		{.8, reward, `{"value":1}`, ``, 204},
		{.8, reward, `{"value":1.0}`, ``, 204},
		{.8, reward, `{"value":0.5}`, `{"error":{"code":"BadRequest","message":"is not what was reported before","target":"value","innerError":{"code":"conflict"}}}`, 409},
		{
			1, personalizerRank, `{"actions":[{"id":"red","features":[]},{"id":"blue","features":null}],"contextFeatures":null,"excludedActions":null,"eventId":null,"deferActivation":null}`,
			`{"ranking":[{"id":"blue","probability":1},{"id":"red","probability":0}],"eventId":"made-1","rewardActionId":"blue"}`, 201,
		},
		{0, personalizerRank, `{"actions":[{"id":"red"},{"id":"blue"}],"eventId":"sampled"}`, `{"ranking":[{"id":"blue"},{"id":"red"}],"eventId":"sampled","rewardActionId":"blue"}`, 201},
		{
			1, personalizerRank, `{"actions":[{"id":"red"},{"id":"blue"}],"excludedActions":["red","another"],"eventId":"first"}`,
			`{"ranking":[{"id":"red","probability":0},{"id":"blue","probability":1}],"eventId":"first","rewardActionId":"blue"}`, 201,
		},
	} {
		f.chance = c.chance
		status, h, got := r.ask(t, c.path, c.body)
		if status != c.status || got != c.answer || status != 204 && h.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s:\n%d %s, want\n%d %s", c.path, c.body, status, got, c.status, c.answer)
		}
	}
	if want := []string{"green", "red"}; !slices.Equal(slices.Sorted(slices.Values(f.asked[0].Exclude)), want) { // of the last: not offered, and excluded
		t.Errorf("%v is excluded, want %v", f.asked[0].Exclude, want)
	}
	if f.state() != "4 decisions, 1 rewards" {
		t.Error(f.state())
	}
}

// TestPersonalizersKeyIsAToken: that service's header holds a token, by role; the subject comes
// in a header of ours.
func TestPersonalizersKeyIsAToken(t *testing.T) {
	f := newFake()
	r := run(t, f)
	read, err := os.ReadFile(filepath.Join(r.dir, "api.read.token"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, key, subject string
		status             int
		part               string
	}{
		{personalizerRank, r.token, "", 201, `"rewardActionId":"red"`},
		{personalizerRank, r.token, "patient 17", 201, `"rewardActionId":"red"`},
		{personalizerRank, r.token, "\x7f", 400, `"target":"header.Peerd-Subject"`},
		{personalizerRank, "", "", 401, "send the header Ocp-Apim-Subscription-Key with the token in the file api.write.token or api.token of the peer's folder"},
		{personalizerRank, "wrong", "", 401, `"target":"header.Ocp-Apim-Subscription-Key","innerError":{"code":"unauthorized"}`},
		{personalizerRank, string(read), "", 403, `"innerError":{"code":"role"}`},
		{"/v1/decisions", r.token, "", 401, `"code":"unauthorized"`},
	} {
		f.asked = nil
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.base+c.path, strings.NewReader(`{"actions":[{"id":"red"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, subscriptionKey: {c.key}}
		if c.subject != "" {
			req.Header[subjectHeader] = []string{c.subject}
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			if c.subject == "\x7f" {
				continue // the client itself refuses it
			}
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != c.status || !strings.Contains(string(b), c.part) {
			t.Errorf("%+v: %d %s %v", c, res.StatusCode, b, err)
		}
		if c.status == 201 && (len(f.asked) != 1 || f.asked[0].Subject != c.subject) {
			t.Errorf("%+v: %v was asked", c, f.asked)
		}
	}
}

// TestWhatIsNotOfPersonalizerIsRefused: by name, in the form of that service's errors, and
// nothing is stored.
func TestWhatIsNotOfPersonalizerIsRefused(t *testing.T) {
	f := newFake()
	r := run(t, f)
	const two = `"actions":[{"id":"red"},{"id":"blue"}]`
	for _, c := range []struct {
		path, body   string
		status       int
		target, part string
	}{
		{personalizerRank, `{` + two + `,"deferActivation":true}`, 400, "deferActivation", "is not supported: every decision counts, shown or not"},
		{personalizerRank, `{` + two + `,"useNextBest":[]}`, 400, "useNextBest", "is not a field here"},
		{personalizerRank, `{}`, 400, "actions", "is missing"},
		{personalizerRank, `{"actions":[]}`, 400, "actions", "is empty"},
		{personalizerRank, `{"actions":[{"id":"red"},{"id":"red"}]}`, 400, "actions[1].id", "is the id of an action before"},
		{personalizerRank, `{"actions":[{"id":"red"},{"id":"mauve"}]}`, 400, "actions[1].id", `\"mauve\" is no action of this network, whose learner takes no features; GET /v1/arms lists its actions`},
		{personalizerRank, `{"actions":[{"id":"red"},{"features":[]}]}`, 400, "actions[1].id", "is missing"},
		{personalizerRank, `{"actions":[{"id":""}]}`, 400, "actions[0].id", "want 1 to 256 bytes"},
		{personalizerRank, `{` + two + `,"eventId":"a b"}`, 400, "eventId", "want 1 to 128 characters"},
		{personalizerRank, `{` + two + `,"contextFeatures":[{"a":null}]}`, 400, "contextFeatures[0].a", "null is not one, leave the field out"},
		{personalizerRank, `{` + two + `,"contextFeatures":[{"a":["x"]}]}`, 400, "contextFeatures[0].a[0]", "want a finite number"},
		{personalizerRank, `{` + two + `,"contextFeatures":[{"a":{"b":1e999}}]}`, 400, "contextFeatures[0].a.b", "want a finite number"},
		{personalizerRank, `{` + two + `,"contextFeatures":[{"a":1,"a":2}]}`, 400, "contextFeatures[0].a", "is given twice"},
		{personalizerRank, `{` + two + `,"contextFeatures":{"a":1}}`, 400, "contextFeatures", "want a list"},
		{personalizerRank, `{` + two + `,"contextFeatures":[{"a":[` + strings.Repeat("1,", 999) + `1],"b":1}]}`, 400, "contextFeatures", "has more than 1000 features"},
		{personalizerRank, `{` + two + `,"eventId":7,"deferActivation":1}`, 400, "eventId", `"details":[{"code":"BadRequest","message":"want a string","target":"eventId"},{"code":"BadRequest","message":"want true or false","target":"deferActivation"}]`},
		{personalizerRank, `{` + two, 400, "", "cannot be read as JSON"},
		{"/personalizer/v1.0/events/a/reward", `{"value":-1}`, 400, "value", "want a number from 0 to 1; of a reward x from -1 to 1 send (x+1)/2"},
		{"/personalizer/v1.0/events/a/reward", `{}`, 400, "value", "is missing"},
		{"/personalizer/v1.0/events/a%20b/reward", `{"value":1}`, 400, "eventId", "want 1 to 128 characters"},
		{"/personalizer/v1.0/events/a/activate", `{}`, 404, "", "It has no activate, since every decision counts"},
		{"/personalizer/v1.0/configurations/service", ``, 404, "", "no configurations, model, logs or evaluations"},
		{"/personalizer/v1.1-preview.1/multislot/rank", `{}`, 404, "", "no rank of several actions at once"},
		{personalizerRank, ``, 405, "", "this path accepts POST"},
	} {
		status, _, got := r.ask(t, c.path, c.body)
		var doc personalizerErrorBody
		if err := json.Unmarshal([]byte(got), &doc); err != nil || status != c.status || doc.Error.Target != c.target || !strings.Contains(got, c.part) || doc.Error.Message == "" || doc.Error.Inner.Code == "" {
			t.Errorf("%s %.200s:\n%d %s, want %d %s: %s", c.path, c.body, status, got, c.status, c.target, c.part)
		}
	}
	for code, want := range map[decision.Code]int{decision.Expired: 410, decision.Full: 507, decision.Simulated: 403, decision.Unavailable: 503} {
		f.refusal = &decision.Refusal{Code: code, Field: "exclude[0]", Reason: "for a reason"}
		for path, body := range map[string]string{personalizerRank: `{` + two + `}`, "/personalizer/v1.0/events/a/reward": `{"value":1}`} {
			if status, _, got := r.ask(t, path, body); status != want || !strings.Contains(got, `"message":"for a reason","target":"excludedActions","innerError":{"code":"`+string(code)+`"}`) {
				t.Errorf("%s: %d %s", code, status, got)
			}
		}
	}
	if f.state() != "0 decisions, 0 rewards" {
		t.Error(f.state())
	}
}

// TestFeaturesOfPersonalizer: a contextual learner gets the sketch of each action with its
// context or, with a context of its own, the sketch of each action alone, whatever the order of
// names; ids are the application's own.
func TestFeaturesOfPersonalizer(t *testing.T) {
	f := newFake()
	f.shape = ownShape(3, 16, true)
	f.choice = "juice"
	r := run(t, f)
	n := decision.Names()
	context := []decision.Named{n.Under("timeOfDay").Text("Morning"), n.Under("device").Under("mobile").Bool(true)}
	pasta := []decision.Named{n.Under("taste").Text("salty"), n.Under("grams").Place(0).Number(400), n.Under("grams").Place(1).Number(-.5)}
	want := []decision.Action{
		{ID: "pasta", Features: decision.Sketch(decision.Crossed(pasta, context), 16)},
		{ID: "juice", Features: decision.Sketch(decision.Crossed(decision.Identity("juice"), context), 16)},
	}
	for _, body := range []string{
		`{"contextFeatures":[{"timeOfDay":"Morning"},{"device":{"mobile":true}}],"actions":[{"id":"pasta","features":[{"taste":"salty"},{"grams":[400,-0.5]}]},{"id":"juice","features":[]}],"eventId":"a"}`,
		`{"actions":[{"features":[{"taste":"salty","_note":{"x":[null]},"grams":[400,-5e-1]}],"id":"pasta"},{"id":"juice"}],"contextFeatures":[{"timeOfDay":"Morning","_id":7,"device":{"mobile":true}}],"eventId":"b"}`,
	} {
		status, _, got := r.ask(t, personalizerRank, body)
		if status != 201 || !strings.Contains(got, `"rewardActionId":"juice"`) {
			t.Fatalf("%d %s", status, got)
		}
		if got := f.asked[0]; !reflect.DeepEqual(got.Actions, want) || got.Exclude != nil {
			t.Errorf("%v, excluded %v; want %v", got.Actions, got.Exclude, want)
		}
	}
	f.choice, f.shape.Inputs = "red", bandit.Inputs{Action: 3, Context: 5, Map: bandit.Interactions}
	status, _, got := r.ask(t, personalizerRank, `{"contextFeatures":[{"timeOfDay":"Morning","device":{"mobile":true}}],"actions":[{"id":"red"},{"id":"green"}],"excludedActions":["green","bread"]}`)
	if a := f.asked[0]; status != 201 || !reflect.DeepEqual(a.Context, decision.Sketch(context, 5)) ||
		!reflect.DeepEqual(a.Actions[0].Features, decision.Sketch(decision.Identity("red"), 3)) || !slices.Equal(a.Exclude, []string{"green"}) {
		t.Errorf("%d %s: %v", status, got, f.asked)
	}
	f.shape = ownShape(3, 16, true)
	lists := func(n int) string { return "[" + strings.Repeat("1,", n-1) + "1]" }
	for body, part := range map[string]string{
		`{"actions":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"4"}]}`: `"message":"are 4, and this network has 3 (arms); send no more at once","target":"actions"`,
		`{"actions":[{"id":"1","features":[{"a":` + lists(1000) + `}]},{"id":"2","features":[{"a":` + lists(1000) + `}]}],"contextFeatures":[{"b":` + lists(600) + `}]}`: `"message":"have too many features: their products with the features of the context are more than 1048576","target":"actions"`,
	} {
		if status, _, got := r.ask(t, personalizerRank, body); status != 400 || !strings.Contains(got, part) {
			t.Errorf("%d %s, want %s", status, got, part)
		}
	}
}

// TestRankingsHoldEveryAction: whatever is excluded and chosen, each action is listed once,
// excluded ones in their places, and the first of the others is the chosen one.
func TestRankingsHoldEveryAction(t *testing.T) {
	ids := []string{"a", "b", "c", "d"}
	places := map[string]int{"a": 0, "b": 1, "c": 2, "d": 3}
	for excluded := range 1 << 4 {
		q := ranked{ids: ids, places: places}
		for i, id := range ids {
			if excluded>>i&1 == 1 {
				q.excluded = append(q.excluded, id)
			}
		}
		for i, chosen := range ids {
			if excluded>>i&1 == 1 {
				continue
			}
			got := q.ranking(decision.Decision{Action: chosen, Propensity: 1})
			seen, first := make(map[string]bool), ""
			for k, a := range got.Ranking {
				if excluded>>k&1 == 1 != slices.Contains(q.excluded, a.ID) || excluded>>k&1 == 1 && a.ID != ids[k] {
					t.Fatalf("without %v, %s: %v", q.excluded, chosen, got)
				}
				if first == "" && excluded>>k&1 == 0 {
					first = a.ID
				}
				if seen[a.ID] = true; (*a.Probability == 1) != (a.ID == chosen) {
					t.Fatalf("without %v, %s: %v", q.excluded, chosen, got)
				}
			}
			if first != chosen || got.ActionID != chosen || !maps.Equal(seen, map[string]bool{"a": true, "b": true, "c": true, "d": true}) {
				t.Fatalf("without %v, %s: %v", q.excluded, chosen, got)
			}
		}
	}
}

// FuzzRank: no body causes a panic, an ask that does not fit the backend's shape, or an id that
// the backend cannot know.
func FuzzRank(f *testing.F) {
	for _, body := range []string{
		`{"actions":[{"id":"red","features":[{"a":{"b":[1,2]},"c":"d","e":true}]},{"id":"x"}],"contextFeatures":[{"t":-3e5}],"excludedActions":["x"]}`,
		`{"actions":[{"id":"\u0000","features":[{"_":{}}]}],"eventId":null}`,
	} {
		f.Add([]byte(body), 4)
	}
	actions := []string{"red", "", "green", "blue"}
	f.Fuzz(func(t *testing.T, body []byte, length int) {
		shape := ownShape(3, max(0, length%8), true)
		q, err := decodeOne(body, func(in *scanner) ranked { return decodeRank(in, actions, shape) })
		if err != nil || len(q.flaws) > 0 {
			return
		}
		if refusal := shape.Check(&q.value.ask); refusal != nil {
			t.Error(refusal)
		}
		names := actions
		if shape.Inputs.Action > 0 {
			names = q.value.ids
		}
		for _, name := range names {
			if name != "" && !slices.Contains(q.value.ask.Exclude, name) && len(q.value.ranking(decision.Decision{Action: name}).Ranking) != len(q.value.ids) {
				t.Error(fmt.Sprint(q.value.ids), name)
			}
		}
	})
}

// TestAnActionThatIsNotOfferedIsNoRanking: the network adds an action between the reading of a request and the decision.
func TestAnActionThatIsNotOfferedIsNoRanking(t *testing.T) {
	f := newFake()
	f.actions, f.choice = []string{"red", "green"}, "blue"
	status, _, got := run(t, f).ask(t, personalizerRank, `{"actions":[{"id":"red"},{"id":"green"}],"eventId":"visit"}`)
	if status != http.StatusConflict || !strings.Contains(got, "take another eventId") || !strings.Contains(got, `"target":"eventId"`) {
		t.Errorf("%d %s", status, got)
	}
}
