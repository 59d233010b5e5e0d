package change_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/internal/change"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/network"
)

// folder makes a peer's folder.
func folder(t *testing.T, set map[string]string) *config.Settings {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "peer")
	var all []string
	for k, v := range set {
		all = append(all, k+"="+v)
	}
	all = append(all, "dir="+dir, "arms=[red, green]", "privacy.epsilon=1", "privacy.horizon=1000")
	if _, err := daemon.Init(plan.Schema(), all); err != nil {
		t.Fatal(err)
	}
	return load(t, dir)
}

func load(t *testing.T, dir string) *config.Settings {
	t.Helper()
	c, err := plan.Schema().Load(filepath.Join(dir, config.FileName), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &c.Settings
}

func founded(admin bool) change.Founding {
	return change.Founding{Name: "clinics", Peer: "first", Addrs: []string{"/ip4/192.0.2.1/tcp/8471"}, Admins: admin}
}

func TestTokensReadAsWritten(t *testing.T) {
	v := &change.Invitation{Seed: [32]byte{1, 2, 3}, Network: "abc", Name: "site-b", With: gossip.PeerInfo{ID: "12D3", Addrs: []string{"/ip4/192.0.2.1/tcp/1", "/dns4/x/tcp/2"}}}
	got, err := change.ParseToken(" " + v.Token() + "\n")
	if err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "x", v.Token()[1:], v.Token()[:40], "peerd1-AAAA", v.Token() + "!"} {
		if _, err = change.ParseToken(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// A token and one command make a folder with which a peer can run, and the network has the peer
// in its place. A token can be used once.
func TestJoin(t *testing.T) {
	s := folder(t, nil)
	if _, err := change.New(s, founded(true)); err != nil {
		t.Fatal(err)
	}
	s = load(t, s.Dir)
	id, err := s.Identity()
	if err != nil {
		t.Fatal(err)
	}
	record, err := daemon.OpenRecord(s, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, lie := range []string{`{}`, `{"steps":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}`, `none`} {
		if err = record.Merge([]byte(lie)); !errors.Is(err, gossip.ErrDocument) {
			t.Errorf("%s is nobody's fault: %v", lie, err)
		}
	}
	token, x, err := change.Invite(s, "second", nil)
	if err != nil || x.Document.Version != 2 || x.Document.Peers[1].Standing != network.Invited {
		t.Fatalf("%+v, %v", x, err)
	}
	v, err := change.ParseToken(token)
	if err != nil {
		t.Fatal(err)
	}
	host, err := gossip.NewHost(gossip.Config{
		Identity: id, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Network: "clinics", Document: record,
		Peers: []gossip.PeerInfo{{ID: id.ID()}, {ID: gossip.SeedIdentity(v.Seed).ID(), Absent: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = host.Close() }()
	v.With.Addrs = host.Addrs()
	dir := filepath.Join(t.TempDir(), "second")
	listen := []string{"/ip4/0.0.0.0/tcp/8472"}
	var terms *change.Terms
	agree := func(offered *change.Terms) error {
		terms = offered
		return nil
	}
	no := errors.New("no")
	if _, err = change.Join(t.Context(), config.Site(), v.Token(), dir, listen, nil, nil, func(*change.Terms) error { return no }); !errors.Is(err, no) {
		t.Error(err)
	}
	if _, err = os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder was made without an agreement")
	}
	web := []string{"/ip4/192.0.2.9/tcp/443/ws"}
	if _, err = change.Join(t.Context(), config.Site(), v.Token(), filepath.Join(t.TempDir(), "web"), listen, web, nil, agree); err == nil || !strings.Contains(err.Error(), "want one over TCP alone") {
		t.Errorf("an address that no peer dials: %v", err)
	}
	j, err := change.Join(t.Context(), config.Site(), v.Token(), dir, listen, nil, []string{"api.window=7s"}, agree)
	if err != nil || j.Version != 3 || j.Name != "second" {
		t.Fatalf("%+v, %v", j, err)
	}
	if terms.Name != "second" || len(terms.Peers) != 1 || len(terms.Signers) != 1 || !slices.Equal(terms.Links, terms.Peers) || !slices.Equal(terms.Actions, s.Arms) || terms.Settings["privacy.epsilon"] == "" {
		t.Errorf("terms %+v", terms)
	}
	joined := load(t, dir)
	var asked strings.Builder
	terms.Write(&asked)
	if joined.Privacy.Answers != config.Inside || !strings.Contains(asked.String(), "\n  of your site alone, to change with --set: privacy.answers: inside (only this site's own people and users see what it answers; ") {
		t.Errorf("answers for %s:\n%s", joined.Privacy.Answers, asked.String())
	}
	x, err = change.Show(joined)
	if err != nil || x.Document.Version != 3 || x.Document.Peers[1].ID != j.ID || x.Document.Peers[1].Standing != network.Present ||
		!reflect.DeepEqual(x.Document.Peers[1].Addrs, []string{"/ip4/127.0.0.1/tcp/8472"}) {
		t.Errorf("%+v, %v", x, err)
	}
	if d, wrong := daemon.NewDeployment(joined); wrong != nil || d.Self != 1 || len(d.Links) != 1 || joined.API.Window.String() != "7s" {
		t.Error(wrong)
	}
	n, err := config.ReadNetwork(joined.NetworkPath())
	if err != nil || len(n.Peers[1].Former) != 1 || len(n.Peers[1].Closed) != 0 {
		t.Errorf("the key of the token proves something: %+v, %v", n, err)
	}
	if _, err = change.Join(t.Context(), config.Site(), v.Token(), filepath.Join(t.TempDir(), "third"), listen, nil, nil, agree); err == nil || !strings.Contains(err.Error(), "this token was used") {
		t.Error(err)
	}
}

// Changes that a majority has to sign wait for it; things on which the protocol relies cannot
// change.
func TestChangesThatDoNotComeAtOnce(t *testing.T) {
	s := folder(t, nil)
	if _, err := change.New(s, founded(false)); err != nil {
		t.Fatal(err)
	}
	if _, err := change.New(load(t, s.Dir), founded(false)); err == nil {
		t.Error("a second document")
	}
	s = load(t, s.Dir)
	other := configtest.ThreeSites().Peers[1].ID
	want := func(version uint64, wishes int, c network.Change) {
		t.Helper()
		x, err := change.Want(s, c)
		if err != nil || x.Document.Version != version || len(x.Wanted) != wishes {
			t.Fatalf("%+v, %v", x, err)
		}
	}
	want(2, 0, network.Change{Kind: network.Add, Peer: "second", ID: other, Addrs: []string{"/ip4/192.0.2.2/tcp/1"}})
	want(2, 1, network.Change{Kind: network.Remove, Peer: "second"}) // the second has not voted
	x, err := change.Withdraw(s)
	if err != nil || len(x.Wanted) != 0 {
		t.Error(x, err)
	}
	for reason, c := range map[string]network.Change{
		"choose another name": {Kind: network.Add, Peer: "second", ID: configtest.ThreeSites().Peers[2].ID, Addrs: []string{"/ip4/192.0.2.3/tcp/1"}},
		"no peer has or had":  {Kind: network.Add, Peer: "third", ID: other, Addrs: []string{"/ip4/192.0.2.3/tcp/1"}},
		"peers[2].id: nobody": {Kind: network.Add, Peer: "third", ID: "nobody", Addrs: []string{"/ip4/192.0.2.3/tcp/1"}},
		"there is no peer":    {Kind: network.Remove, Peer: "fourth"},
	} {
		if _, err := change.Want(s, c); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v\nwant %s", err, reason)
		}
	}

	fixed := folder(t, map[string]string{"protocol.name": "gis", "learner.name": "elimination", "privacy.mechanism": "each"})
	if _, err := change.New(fixed, founded(true)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := change.Invite(load(t, fixed.Dir), "second", nil); err == nil || !strings.Contains(err.Error(), "no peer can join or leave with protocol.name gis") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(fixed.Dir, config.DocumentName)); err != nil {
		t.Error(err)
	}
}

// Actions are added while there is room, and retired, and the settings of every peer follow.
func TestActionsOfANetwork(t *testing.T) {
	s := folder(t, map[string]string{"spare_arms": "1"})
	if _, err := change.New(s, founded(true)); err != nil {
		t.Fatal(err)
	}
	s = load(t, s.Dir)
	if a := s.Actions(nil); !reflect.DeepEqual(a, config.Actions{Names: []string{"red", "green", ""}, Absent: []bandit.Arm{2}}) {
		t.Errorf("%+v", a)
	}
	refused := func(reason string, c network.Change) {
		t.Helper()
		if _, err := change.Want(s, c); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v\nwant %s", err, reason)
		}
	}
	refused("choose another name", network.Change{Kind: network.Extend, Arm: "red"})
	refused("want a name", network.Change{Kind: network.Extend, Arm: " "})
	refused("two actions have to be left", network.Change{Kind: network.Retire, Arm: "red"})
	if _, err := change.Want(s, network.Change{Kind: network.Extend, Arm: "blue"}); err != nil {
		t.Fatal(err)
	}
	refused("there is room for 1 more", network.Change{Kind: network.Extend, Arm: "white"})
	refused("no action", network.Change{Kind: network.Retire, Arm: "white"})
	x, err := change.Want(s, network.Change{Kind: network.Retire, Arm: "red"})
	if err != nil || x.Document.Version != 3 {
		t.Fatalf("%+v, %v", x, err)
	}
	refused("was retired before", network.Change{Kind: network.Retire, Arm: "red"})
	d, err := daemon.NewDeployment(s)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Actions{Names: []string{"red", "green", "blue"}, Absent: []bandit.Arm{0}}
	if a := s.Actions(d.Network); !reflect.DeepEqual(a, want) || !slices.Equal(d.Spec.Absent, want.Absent) || d.Spec.Arms != 3 {
		t.Errorf("%+v, %+v", a, d.Spec)
	}

	fixed := folder(t, map[string]string{"protocol.name": "gis", "learner.name": "elimination", "privacy.mechanism": "each"})
	if _, err := change.New(fixed, founded(true)); err != nil {
		t.Fatal(err)
	}
	s = load(t, fixed.Dir)
	refused("in whose epochs all of them are explored", network.Change{Kind: network.Retire, Arm: "red"})
}
