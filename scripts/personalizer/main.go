// Command personalizer plays an application of Azure Personalizer v1.0 against a real network
// whose learner chooses by features, through the adapter of docs/examples/go/personalizer: the request bodies are from that
// service's documentation, with only the address changed. It prints the share of right choices by tenths of the run,
// and fails if it is too low in the last tenth.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"peerd.dev/scripts/served"
)

const (
	sites  = 3
	rate   = 150 // decisions of a site per second
	wanted = .9  // of the decisions of the last tenth
)

// actions are from that service's documentation.
const actions = `[
	{"id": "pasta", "features": [{"taste": "salty", "spiceLevel": "medium", "grams": [400, 800]}, {"nutritionLevel": 5, "cuisine": "italian"}]},
	{"id": "ice cream", "features": [{"taste": "sweet", "spiceLevel": "none", "grams": [150, 300, 450]}, {"nutritionalLevel": 2}]},
	{"id": "juice", "features": [{"taste": "sweet", "spiceLevel": "none", "grams": [300, 600, 900]}, {"nutritionLevel": 5}, {"drink": true}]},
	{"id": "salad", "features": [{"taste": "salty", "spiceLevel": "low", "grams": [300, 600]}, {"nutritionLevel": 8}]}
]`

// right is what users want by the time of day; it is rewarded with probability 0.9, and
// everything else with 0.1.
var right = map[string]string{"morning": "juice", "noon": "salad", "evening": "pasta"} //nolint:gochecknoglobals // a table

var times = []string{"morning", "noon", "evening"} //nolint:gochecknoglobals // a table

// adapter is the program between an application and its peer.
var adapter string //nolint:gochecknoglobals // a flag

// sdk is where that service's own client is; "" for nowhere.
var sdk string //nolint:gochecknoglobals // a flag

const port = 18480 // of the first adapter

func main() {
	peerd := flag.String("peerd", "bin/peerd", "the program")
	flag.StringVar(&adapter, "adapter", "bin/personalizer-adapter", "the adapter")
	seconds := flag.Int("seconds", 60, "length of the run")
	flag.StringVar(&sdk, "sdk", "", "folder in which that service's package for Node is installed: its calls are made, too")
	flag.Parse()
	if err := run(*peerd, flag.Args(), time.Duration(*seconds)*time.Second); err != nil {
		fmt.Fprintln(os.Stderr, "personalizer:", err)
		os.Exit(1)
	}
}

func run(peerd string, args []string, length time.Duration) (err error) {
	network, err := served.Start(peerd, sites, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, network.Stop()) }()

	var running sync.WaitGroup
	begin, errs := time.Now(), make([]error, sites)
	apps := make([]*app, sites)
	for i, p := range network.Peers {
		a := &app{url: fmt.Sprintf("http://127.0.0.1:%d", port+i), rng: rand.New(rand.NewPCG(uint64(i), 1))}
		stop, wrong := a.adapt(p)
		if wrong != nil {
			return wrong
		}
		defer stop()
		apps[i] = a
		running.Go(func() {
			tick := time.NewTicker(time.Second / rate)
			defer tick.Stop()
			for n := 0; time.Since(begin) < length && errs[i] == nil; n++ {
				<-tick.C
				tenth := min(9, int(10*time.Since(begin)/length))
				errs[i] = a.play(fmt.Sprintf("event-%d-%d", i, n), tenth)
			}
		})
	}
	if sdk != "" {
		c := exec.Command("node", "scripts/personalizer/sdk.cjs", sdk, apps[0].url)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err = c.Run(); err != nil {
			return fmt.Errorf("that service's client: %w", err)
		}
	}
	running.Wait()
	if err = errors.Join(errs...); err != nil {
		return err
	}
	fmt.Print("share of right choices, by tenths of the run:")
	share, all := 0., 0
	for tenth := range 10 {
		right, of := 0, 0
		for _, a := range apps {
			right, of = right+a.right[tenth], of+a.all[tenth]
		}
		share = float64(right) / float64(max(1, of))
		all += of
		fmt.Printf(" %.2f", share)
	}
	fmt.Printf("; %d decisions\n", all)
	if share < wanted {
		return fmt.Errorf("%.2f of the last choices are right, want %v", share, wanted)
	}
	return nil
}

// app is a site's application.
type app struct {
	url        string // of its adapter
	rng        *rand.Rand
	right, all [10]int
}

// adapt starts an adapter to a peer, and waits until it listens.
func (a *app) adapt(p served.Peer) (stop func(), err error) {
	token, err := os.CreateTemp("", "token")
	if err != nil {
		return nil, err
	}
	_, err = token.WriteString(p.Token)
	if err = errors.Join(err, token.Close()); err != nil {
		return nil, err
	}
	c := exec.Command(adapter, "-listen", strings.TrimPrefix(a.url, "http://"), "-url", p.URL, "-token", token.Name(), "-features", "18")
	c.Stderr = os.Stderr
	if err = c.Start(); err != nil {
		return nil, err
	}
	stop = func() { _, _, _ = c.Process.Kill(), c.Wait(), os.Remove(token.Name()) }
	for range 100 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
		if err == nil {
			return stop, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return nil, errors.New("the adapter does not listen")
}

// play asks for a ranking and reports its reward at once.
func (a *app) play(event string, tenth int) error {
	day := times[a.rng.IntN(len(times))]
	body := fmt.Sprintf(`{"contextFeatures": [{"timeOfDay": %q}], "actions": %s, "excludedActions": ["ice cream"], "eventId": %q, "deferActivation": false}`, day, actions, event)
	var answer struct {
		Ranking        []struct{ ID string }
		EventID        string
		RewardActionID string
	}
	if err := a.post("/personalizer/v1.0/rank", body, http.StatusCreated, &answer); err != nil {
		return err
	}
	if len(answer.Ranking) != 4 || answer.Ranking[0].ID != answer.RewardActionID || answer.EventID != event || answer.RewardActionID == "ice cream" {
		return fmt.Errorf("%s: a ranking that does not fit: %+v", event, answer)
	}
	a.all[tenth]++
	chance := .1
	if answer.RewardActionID == right[day] {
		a.right[tenth]++
		chance = .9
	}
	value := -1. // that service took rewards from -1 to 1
	if a.rng.Float64() < chance {
		value = 1
	}
	return a.post("/personalizer/v1.0/events/"+event+"/reward", fmt.Sprintf(`{"value": %.1f}`, value), http.StatusNoContent, nil)
}

// post sends a document and reads the answer, which must have a status.
func (a *app) post(path, body string, status int, answer any) error {
	req, err := http.NewRequest(http.MethodPost, a.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Peerd-Subject", fmt.Sprint("visitor-", time.Now().UnixNano()))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != status {
		return fmt.Errorf("%s: %s %.300s", path, res.Status, b)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(b, answer)
}
