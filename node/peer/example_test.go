package peer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"peerd.dev/node/decision"
	"peerd.dev/node/peer"
)

// Example makes the folders of a network's two peers, runs one of them, takes a decision and
// reports its reward. The other site need not be up.
func Example() {
	folder, err := os.MkdirTemp("", "peer")
	check(err)
	defer func() { _ = os.RemoveAll(folder) }()
	var id string
	network := fmt.Sprintf("name: example\nstart: %s\nevery: 1s\nlinks: [[0, 1]]\npeers:\n", time.Now().UTC().Format(time.RFC3339))
	for _, name := range []string{"north", "south"} {
		id, err = peer.Init(filepath.Join(folder, name), peer.Set("arms", "[red, green]"), peer.Set("privacy.epsilon", "1"), peer.Set("listen", "[/ip4/127.0.0.1/tcp/0]"))
		check(err)
		network += fmt.Sprintf("  - {name: %s, id: %s, addrs: [/ip4/127.0.0.1/tcp/8471]}\n", name, id)
	}
	dir := filepath.Join(folder, "north")
	check(os.WriteFile(filepath.Join(dir, "network.yaml"), []byte(network), 0o600))

	p, err := peer.Open(dir)
	check(err)
	ctx, stop := context.WithCancel(context.Background())
	running := make(chan error, 1)
	go func() { running <- p.Run(ctx) }()

	d, err := p.Decide(ctx, decision.Ask{ID: "visit-1", Subject: "user-17"})
	check(err)
	again, err := p.Decide(ctx, decision.Ask{ID: "visit-1", Subject: "user-17"})
	check(err)
	fmt.Println("the same:", d.Action == again.Action)
	receipt, err := p.Reward(ctx, decision.Report{ID: d.ID, Value: 1})
	check(err)
	fmt.Println("counted:", receipt.Counted)
	_, err = p.Reward(ctx, decision.Report{ID: d.ID, Value: 2})
	fmt.Println(err)
	s, err := p.Status(ctx)
	check(err)
	fmt.Println(s.Name, s.Network, "spent", s.Spent)

	stop()
	check(<-running)
	check(p.Close())
	// Output:
	// the same: true
	// counted: true
	// value: want a number from 0 to 1
	// north example spent 1
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
