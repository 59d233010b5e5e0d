package change_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/internal/change"
	"peerd.dev/internal/config"
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
	if _, err := daemon.Init(plan.Schema(), all, false); err != nil {
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

func founded() change.Founding {
	return change.Founding{Name: "clinics", Peer: "first", Addrs: []string{"/ip4/192.0.2.1/tcp/8471"}}
}

func TestTokensReadAsWritten(t *testing.T) {
	v := &change.Invitation{Seed: [32]byte{1, 2, 3}, Network: "abc", Name: "site-b", With: gossip.PeerInfo{ID: "12D3", Addrs: []string{"/ip4/192.0.2.1/tcp/1", "/dns4/x/tcp/2"}}}
	token := v.Token()
	for _, sent := range []string{" " + token + "\n", token[:76] + "\r\n" + token[76:] + "\r\n", token[:9] + " \t" + token[9:], "\ufeff" + token, token[:50] + "\u200b\u2060" + token[50:]} {
		if got, err := change.ParseToken(sent); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%q: %+v, %v", sent, got, err)
		}
	}
}

// TestATokenWithASlipIsNoToken: whatever is cut off or changed, nothing is dialled, and the error is about the token.
func TestATokenWithASlipIsNoToken(t *testing.T) {
	token := (&change.Invitation{Seed: [32]byte{1, 2, 3}, Network: "abc", Name: "site-b", With: gossip.PeerInfo{ID: "12D3", Addrs: []string{"/ip4/192.0.2.1/tcp/1"}}}).Token()
	slips := []string{"", "x", "peerd1-", "peerd1-AAAA", token[1:], token + "!", token + token, token + "A", "> " + token, strings.ToUpper(token)}
	for i := range token {
		slips = append(slips, token[:i], token[:i]+token[i+1:])
		for _, c := range "Aa0-_ié" {
			if changed := token[:i] + string(c) + token[i+1:]; changed != token {
				slips = append(slips, changed)
			}
		}
		if i > 0 && token[i] != token[i-1] {
			slips = append(slips, token[:i-1]+token[i:i+1]+token[i-1:i]+token[i+1:])
		}
	}
	for _, slip := range slips {
		_, err := change.ParseToken(slip)
		if !errors.Is(err, config.ErrUsage) || !strings.Contains(err.Error(), "not whole, or was changed: copy it again") {
			t.Errorf("%q: %v", slip, err)
		}
	}
}

// A token and one command make a folder with which a peer can run, and the network has the peer
// in its place. A token can be used once.
func TestJoin(t *testing.T) {
	s := folder(t, nil)
	if _, err := change.New(s, founded()); err != nil {
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
	for _, lie := range []string{``, `x`, `v{}`, `r{"record":{},"sig":""}`, `p{}`, `vnone`} {
		if err = record.Merge([][]byte{[]byte(lie)}); !errors.Is(err, gossip.ErrDocument) {
			t.Errorf("%s is nobody's fault: %v", lie, err)
		}
	}
	made, x, err := change.Invite(t.Context(), s, "second", nil, time.Hour, change.Signing{})
	if err != nil || x.Document.Version != 2 || x.Document.Peers[1].Standing != network.Invited {
		t.Fatalf("%+v, %v", x, err)
	}
	v, err := change.ParseToken(made.Token())
	if err != nil {
		t.Fatal(err)
	}
	host, err := gossip.NewHost(gossip.Config{
		Identity: id, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Network: "clinics", Document: record,
		Peers: []gossip.PeerInfo{{ID: id.ID()}, {ID: x.Document.Peers[1].ID, Absent: true}},
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
	if _, err = change.Join(t.Context(), config.Site(), v.Token(), dir, listen, nil, nil, nil, func(*change.Terms) error { return no }); !errors.Is(err, no) {
		t.Error(err)
	}
	if _, err = os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder was made without an agreement")
	}
	web := []string{"/ip4/192.0.2.9/tcp/443/ws"}
	if _, err = change.Join(t.Context(), config.Site(), v.Token(), filepath.Join(t.TempDir(), "web"), listen, web, nil, nil, agree); err == nil || !strings.Contains(err.Error(), "want one over TCP alone") {
		t.Errorf("an address that no peer dials: %v", err)
	}
	typed := func(offered *change.Terms) error {
		offered.Addrs = []string{"/ip4/0.0.0.0/tcp/8472"}
		return nil
	}
	if _, err = change.Join(t.Context(), config.Site(), v.Token(), filepath.Join(t.TempDir(), "typed"), listen, nil, nil, nil, typed); err == nil || !strings.Contains(err.Error(), "0.0.0.0 means every address") {
		t.Errorf("an address that nobody dials, as an answer: %v", err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	early := *v
	early.Name = "third"
	if _, err = change.Join(soon, config.Site(), early.Token(), filepath.Join(t.TempDir(), "early"), listen, nil, nil, nil, agree); err == nil || !strings.Contains(err.Error(), "the invitation is not signed") {
		t.Error(err)
	}
	used := func(name string, agree func(*change.Terms) error) {
		t.Helper()
		if _, err = change.Join(t.Context(), config.Site(), v.Token(), filepath.Join(t.TempDir(), name), listen, nil, nil, nil, agree); err == nil || !strings.Contains(err.Error(), "this token was used") {
			t.Error(err)
		}
	}
	var j *change.Joined
	used("late", func(*change.Terms) (wrong error) { // another machine takes the place meanwhile
		j, wrong = change.Join(t.Context(), config.Site(), v.Token(), dir, listen, nil, nil, []string{"api.window=7s"}, agree)
		return wrong
	})
	if j == nil || j.Version != 2 || j.Name != "second" {
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
	if err != nil || x.Document.Version != 2 || x.Document.Peers[1].ID != j.ID || x.Document.Peers[1].Standing != network.Present ||
		len(x.Document.Peers[1].Addrs) > 0 || terms.Here != "/ip4/127.0.0.1/tcp/8472" || !strings.HasPrefix(terms.Reached(), "nobody dials this peer") {
		t.Errorf("%+v, %v", x, err)
	}
	if d, wrong := daemon.NewDeployment(joined); wrong != nil || d.Self != 1 || len(d.Links) != 1 || joined.API.Window.String() != "7s" {
		t.Error(wrong)
	}
	n, err := config.ReadNetwork(joined.NetworkPath())
	if err != nil || len(n.Peers[1].Former) != 1 || len(n.Peers[1].Closed) != 0 {
		t.Errorf("the key of the token proves something: %+v, %v", n, err)
	}
	if err = os.Remove(joined.NetworkPath()); err != nil { // as if it had been interrupted
		t.Fatal(err)
	}
	if again, wrong := change.Join(t.Context(), config.Site(), v.Token(), dir, listen, nil, nil, nil, agree); wrong != nil || *again != *j {
		t.Errorf("%+v, %v", again, wrong)
	}
	used("third", agree)
}

// TestAnInvitationIsMadeAgain: a lost token, or one with a wrong address, is replaced under the same name, and the one before is void; one
// that was withdrawn frees its name; a name with which a peer has joined is not free; a token with another end is none.
func TestAnInvitationIsMadeAgain(t *testing.T) {
	s := folder(t, nil)
	if _, err := change.New(s, founded()); err != nil {
		t.Fatal(err)
	}
	var all []*change.Invitation
	invite := func(name string, valid time.Duration) *change.Overview {
		t.Helper()
		v, x, err := change.Invite(t.Context(), s, name, nil, valid, change.Signing{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
		return x
	}
	invite("second", time.Hour)
	if p := invite("second", time.Hour).Document.Peers; len(p) != 3 || p[1].Name != "withdrawn-1" || p[1].Standing != network.Gone || p[2].Standing != network.Invited || p[1].ID == p[2].ID {
		t.Errorf("invited again: %+v", p)
	}
	if _, err := change.Remove(t.Context(), s, "second", change.Signing{}); err != nil {
		t.Fatal(err)
	}
	invite("second", time.Hour)
	peers := invite("late", time.Nanosecond).Document.Peers
	id, err := s.Identity()
	if err != nil {
		t.Fatal(err)
	}
	record, err := daemon.OpenRecord(s, id)
	if err != nil {
		t.Fatal(err)
	}
	c := gossip.Config{Identity: id, Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Network: "clinics", Document: record, Peers: []gossip.PeerInfo{{ID: id.ID()}}}
	for _, p := range peers[1:] {
		c.Peers = append(c.Peers, gossip.PeerInfo{ID: p.ID, Absent: true})
	}
	host, err := gossip.NewHost(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = host.Close() }()
	join := func(v *change.Invitation, want string) {
		t.Helper()
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := change.Join(soon, config.Site(), v.Token(), filepath.Join(t.TempDir(), "second"), []string{"/ip4/0.0.0.0/tcp/8472"}, nil, host.Addrs(), nil, func(*change.Terms) error { return nil })
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	join(all[0], "this token was used, withdrawn, or replaced by a later one")
	join(all[1], "this token was used, withdrawn, or replaced by a later one")
	join(all[3], "and by the clock of this machine that has passed")
	longer := *all[3]
	longer.Until = longer.Until.Add(time.Hour)
	join(&longer, "`--from ADDR` dials another one")
	begun := t.TempDir()
	if err = os.WriteFile(filepath.Join(begun, config.FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = change.Join(t.Context(), config.Site(), all[3].Token(), begun, nil, nil, host.Addrs(), nil, func(*change.Terms) error { return nil }); err == nil || strings.Contains(err.Error(), "that has passed") {
		t.Errorf("an interrupted join does not go on: %v", err)
	}
	join(all[2], "")
	for _, remove := range []bool{false, true} {
		if remove {
			if _, err = change.Remove(t.Context(), s, "second", change.Signing{Without: []string{"second"}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err = change.Invite(t.Context(), s, "second", nil, time.Hour, change.Signing{Without: []string{"second"}}); err == nil || !strings.Contains(err.Error(), "there is a peer second, or was one") {
			t.Error(err)
		}
	}
}

// Versions that others have to sign wait for them; a peer that does not sign names those that do; what concerns a peer alone it does
// alone; and things on which the protocol relies cannot change.
func TestWhoMayChangeWhat(t *testing.T) {
	s := folder(t, nil)
	if _, err := change.New(s, founded()); err != nil {
		t.Fatal(err)
	}
	if _, err := change.New(load(t, s.Dir), founded()); err == nil {
		t.Error("a second document")
	}
	s = load(t, s.Dir)
	file := s.NetworkPath()
	propose := func(c network.Change, how change.Signing) (*change.Overview, error) {
		return change.Propose(t.Context(), s, c, how)
	}
	refused := func(err error, reason string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v\nwant %s", err, reason)
		}
	}
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		if _, _, err := change.Invite(t.Context(), s, name, nil, time.Hour, change.Signing{}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := change.Invite(t.Context(), s, "first", nil, time.Hour, change.Signing{})
	refused(err, "there is a peer first, or was one")
	_, err = propose(network.Change{Kind: network.Remove, Peer: "fourth"}, change.Signing{})
	refused(err, "there is no peer")
	_, err = propose(network.Change{Kind: network.Govern, Signers: []network.Signer{{Name: "b"}}}, change.Signing{})
	refused(err, `no peer "b" is present`)
	_, err = change.Remove(t.Context(), s, "first", change.Signing{})
	refused(err, "name other admins")

	// The others have joined, and b signs, too.
	id, err := s.Identity()
	if err != nil {
		t.Fatal(err)
	}
	x, err := change.Show(s)
	if err != nil {
		t.Fatal(err)
	}
	root := *x.Document
	root.Network, root.Version, root.Links = "", 1, nil
	other := gossip.SeedIdentity([32]byte{7})
	root.Peers = append(root.Peers[:2:2], root.Peers[2:]...)
	for i := range root.Peers {
		root.Peers[i].Standing, root.Peers[i].Addrs = network.Present, []string{"/ip4/192.0.2.1/tcp/1"}
		root.Links = append(root.Links, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}}[i])
	}
	root.Links = append(root.Links, [2]int{0, 2})
	root.Peers[1].ID = other.ID()
	root.Signers = []network.Signer{{Name: "b", ID: other.ID()}, {Name: "c", ID: root.Peers[2].ID}}
	write := func() {
		t.Helper()
		text, wrong := json.Marshal(root)
		if wrong == nil {
			wrong = errors.Join(os.Remove(file), daemon.CreateRecord(file, network.State{Root: text}))
		}
		if wrong != nil {
			t.Fatal(wrong)
		}
	}
	write()
	without := change.Signing{Without: []string{"b", "c", "d", "e", "f"}}
	_, err = propose(network.Change{Kind: network.Remove, Peer: "f"}, without)
	refused(err, "run the command at b or c")
	if x, err = change.Move(s, []string{"/ip4/192.0.2.7/tcp/7"}); err != nil || x.Document.Version != 1 || x.Document.Peers[0].Addrs[0] != "/ip4/192.0.2.7/tcp/7" {
		t.Errorf("%+v, %v", x, err)
	}
	if x, err = change.Remove(t.Context(), s, "first", change.Signing{}); err != nil || x.Document.Version != 1 || x.Document.Peers[0].Standing != network.Gone {
		t.Errorf("%+v, %v", x, err)
	}
	root.Signers = []network.Signer{{Name: "first", ID: id.ID()}, {Name: "b", ID: other.ID()}}
	write()
	_, err = propose(network.Change{Kind: network.Remove, Peer: "f"}, change.Signing{})
	refused(err, "start the peer, which hears them")
	_, err = propose(network.Change{Kind: network.Remove, Peer: "f"}, change.Signing{Without: []string{"g"}})
	refused(err, `there is no peer "g"`)
	if _, x, err = change.Invite(t.Context(), s, "g", nil, time.Hour, without); err != nil || x.Document.Version != 1 || len(x.Proposed) != 1 || !slices.Equal(x.Proposed[0].Unsigned, []string{"b"}) {
		t.Fatalf("%+v, %v", x, err)
	}
	if links := x.Proposed[0].Change.Links; !slices.Equal(links, []string{"b", "d", "e", "f"}) { // the others have three
		t.Errorf("links with %v", links)
	}
	_, err = propose(network.Change{Kind: network.Remove, Peer: "f"}, without)
	refused(err, "with --again")
	without.Again = true
	if x, err = propose(network.Change{Kind: network.Remove, Peer: "f"}, without); err != nil || len(x.Proposed) != 1 || x.Proposed[0].Change.Kind != network.Remove {
		t.Errorf("%+v, %v", x, err)
	}

	fixed := folder(t, map[string]string{"protocol.name": "gis", "learner.name": "elimination", "privacy.mechanism": "each"})
	if _, err = change.New(fixed, founded()); err != nil {
		t.Fatal(err)
	}
	_, _, err = change.Invite(t.Context(), load(t, fixed.Dir), "second", nil, time.Hour, change.Signing{})
	refused(err, "no peer can join or leave with protocol.name gis")
}

// Actions are added while there is room, and retired, and the settings of every peer follow.
func TestActionsOfANetwork(t *testing.T) {
	s := folder(t, map[string]string{"spare_arms": "1"})
	if _, err := change.New(s, founded()); err != nil {
		t.Fatal(err)
	}
	s = load(t, s.Dir)
	if a := s.Actions(nil); !reflect.DeepEqual(a, config.Actions{Names: []string{"red", "green", ""}, Absent: []bandit.Arm{2}}) {
		t.Errorf("%+v", a)
	}
	refused := func(reason string, c network.Change) {
		t.Helper()
		if _, err := change.Propose(t.Context(), s, c, change.Signing{}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v\nwant %s", err, reason)
		}
	}
	refused("choose another name", network.Change{Kind: network.Extend, Arm: "red"})
	refused("want a name", network.Change{Kind: network.Extend, Arm: " "})
	refused("two actions have to be left", network.Change{Kind: network.Retire, Arm: "red"})
	if _, err := change.Propose(t.Context(), s, network.Change{Kind: network.Extend, Arm: "blue"}, change.Signing{}); err != nil {
		t.Fatal(err)
	}
	refused("there is room for 1 more", network.Change{Kind: network.Extend, Arm: "white"})
	refused("no action", network.Change{Kind: network.Retire, Arm: "white"})
	x, err := change.Propose(t.Context(), s, network.Change{Kind: network.Retire, Arm: "red"}, change.Signing{})
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
	if _, err := change.New(fixed, founded()); err != nil {
		t.Fatal(err)
	}
	s = load(t, fixed.Dir)
	refused("in whose epochs all of them are explored", network.Change{Kind: network.Retire, Arm: "red"})
}
