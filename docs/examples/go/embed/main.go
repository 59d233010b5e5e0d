// Command embed runs a peer inside a program: it takes a few decisions, reports their rewards,
// prints the peer's status and ends.
//
//	go run . DIR
//
// DIR is a peer's folder, made by peer.Init or by peerd init, with the network file in it.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
	"peerd.dev/node/peer"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: embed DIR")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// run opens the peer in dir, serves three users and ends.
func run(ctx context.Context, dir string) error {
	p, err := peer.Open(dir, peer.Logger(slog.New(slog.NewTextHandler(os.Stderr, nil))))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	running := make(chan error, 1)
	go func() { running <- p.Run(ctx) }()
	err = serve(ctx, p)
	stop()
	return errors.Join(err, <-running, p.Close())
}

func serve(ctx context.Context, p *peer.Peer) error {
	for _, user := range []string{"ada", "blaise", "carl"} {
		d, err := p.Decide(ctx, decision.Ask{Subject: user})
		if err != nil {
			return err
		}
		receipt, err := p.Reward(ctx, decision.Report{ID: d.ID, Value: reward(d.Action)})
		if err != nil {
			return err
		}
		fmt.Println("counted:", receipt.Counted)
	}
	s, err := p.Status(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s of %s: %d decisions wait, ε %g charged, %g left\n", s.Name, s.Network, s.Pending, s.Spent, s.Left)
	return nil
}

// reward is what an action pays, from 0 to 1. A real program finds out later, and then reports it.
func reward(action string) bandit.Reward {
	if action == "green" {
		return 1
	}
	return 0.25
}
