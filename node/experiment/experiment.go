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

// Each calls do for 0 up to but not n, in this order, as many at once as there are
// processors. The first error ends all: it cancels the context of the others and is
// returned when they are back.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		jobs = make(chan int)
		wg   sync.WaitGroup
	)
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := range jobs {
				if err := do(ctx, i); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
feed:
	for i := range n {
		select {
		case jobs <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}

// Runs plays one run a seed, as Each does, and returns the results in the order of the
// seeds. A run is made by build, which must share nothing between seeds that a run
// changes. progress is that of [One]; it is called from several goroutines.
func Runs(ctx context.Context, seeds []uint64, build func(seed uint64) (sim.Config, error), progress func(rounds uint64)) ([]sim.Result, error) {
	results := make([]sim.Result, len(seeds))
	err := Each(ctx, len(seeds), func(ctx context.Context, i int) (err error) {
		results[i], err = One(ctx, seeds[i], build, progress)
		return err
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// One plays the run of a seed until it is over or ctx is. progress, if not nil, gets the
// rounds that were played since it was last called. An error names the seed.
func One(ctx context.Context, seed uint64, build func(seed uint64) (sim.Config, error), progress func(rounds uint64)) (sim.Result, error) {
	c, err := build(seed)
	if err != nil {
		return sim.Result{}, fmt.Errorf("seed %d: %w", seed, err)
	}
	last := uint64(0)
	c.Progress = func(done uint64) error {
		if progress != nil {
			progress(done - last)
		}
		last = done
		return context.Cause(ctx)
	}
	res, err := sim.Run(c)
	if err != nil {
		return sim.Result{}, fmt.Errorf("seed %d: %w", seed, err)
	}
	return res, nil
}
