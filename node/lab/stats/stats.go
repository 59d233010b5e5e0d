// Package stats repeats simulated runs over seeds and returns results with
// confidence intervals.
package stats

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"peerd.dev/node/lab/sim"
)

// Each is EachOf with as many concurrent calls as there are processors.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	return EachOf(ctx, runtime.GOMAXPROCS(0), n, do)
}

// EachOf calls do for 0 to n-1, in this order, with up to a number of concurrent calls. The first error ends it: EachOf cancels the context of the other calls, waits for
// them, and returns the error.
func EachOf(ctx context.Context, concurrent, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		jobs = make(chan int)
		wg   sync.WaitGroup
	)
	for range min(concurrent, n) {
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

// Runs plays one run for each seed, in parallel like Each, and returns the results in the order
// of the seeds. build makes a run; runs must not share anything that they change. progress is as
// in [One], and is called from several goroutines.
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

// One plays the run of a seed until it is over or ctx is done. progress, if not nil, is called
// with the number of rounds played since its last call. An error names the seed.
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
