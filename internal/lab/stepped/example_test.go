package stepped_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/ports"
	"peerd.dev/internal/lab/stepped"
)

// Example runs the two peers of a network in this process, in lockstep and over loopback,
// until all rounds are played.
func Example() {
	folder, err := os.MkdirTemp("", "peerd")
	check(err)
	defer func() { _ = os.RemoveAll(folder) }()
	free, err := ports.Free(1) // for the second peer, which the first dials
	check(err)
	address := fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", free[0])
	file := filepath.Join(folder, "network.yaml")
	err = config.WriteNetwork(file, &config.Network{
		Name: "lockstep", Start: time.Now(), Every: time.Second, Links: [][2]int{{0, 1}},
		Peers: []config.Member{
			{Name: "north", ID: config.LockstepIdentity(1).ID()},
			{Name: "south", ID: config.LockstepIdentity(2).ID(), Addrs: []string{address}},
		},
	})
	check(err)

	var peers []*daemon.Daemon
	for i, listen := range []string{"/ip4/127.0.0.1/tcp/0", address} {
		dir := filepath.Join(folder, fmt.Sprint(i))
		check(os.Mkdir(dir, 0o700))
		c, err := plan.Schema().Load("", []string{
			"mode=lockstep", fmt.Sprint("seed=", i+1), "dir=" + dir, "network=" + file, "listen=" + listen, "arms=red,green",
			"privacy.epsilon=1", "privacy.horizon=50", "world.kind=bernoulli", "world.bernoulli.means=[[0.2, 0.8]]", "testnet.nodes=2", "testnet.topology=path",
		})
		check(err)
		d, err := daemon.New(&c.Settings, daemon.Options{Lockstep: stepped.Open("")}, slog.New(slog.DiscardHandler))
		check(err)
		defer func() { _ = d.Close() }()
		peers = append(peers, d)
	}

	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	var runs sync.WaitGroup
	for _, d := range peers {
		runs.Go(func() {
			check(d.Run(ctx))
		})
	}
	for _, d := range peers {
		for {
			s, err := d.Status(ctx)
			check(err)
			if s.Round == s.Rounds {
				fmt.Printf("%s: %d of %d rounds, ε %g charged\n", s.Name, s.Round, s.Rounds, s.Spent)
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	stop()
	runs.Wait()

	// Output:
	// north: 50 of 50 rounds, ε 1 charged
	// south: 50 of 50 rounds, ε 1 charged
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
