// Package experiment repeats simulated runs over seeds and says how sure the
// result is.
package experiment

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"peerd.dev/node/sim"
)

// Runs plays one run a seed, as many at once as there are processors, and returns
// the results in the order of the seeds. A run is made by build, which must share
// nothing between seeds that a run changes. progress, if not nil, gets the share
// of the work that is done; it is called from several goroutines.
func Runs(ctx context.Context, seeds []uint64, build func(seed uint64) (sim.Config, error), progress func(rounds uint64)) ([]sim.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		results = make([]sim.Result, len(seeds))
		jobs    = make(chan int)
		wg      sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), len(seeds)) {
		wg.Go(func() {
			for i := range jobs {
				res, err := one(ctx, seeds[i], build, progress)
				if err != nil {
					cancel(fmt.Errorf("seed %d: %w", seeds[i], err))
					return
				}
				results[i] = res
			}
		})
	}
feed:
	for i := range seeds {
		select {
		case jobs <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(jobs)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return results, nil
}

func one(ctx context.Context, seed uint64, build func(uint64) (sim.Config, error), progress func(uint64)) (sim.Result, error) {
	c, err := build(seed)
	if err != nil {
		return sim.Result{}, err
	}
	last := uint64(0)
	c.Progress = func(done uint64) error {
		if progress != nil {
			progress(done - last)
		}
		last = done
		return ctx.Err()
	}
	return sim.Run(c)
}
