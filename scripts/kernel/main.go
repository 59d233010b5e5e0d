// Command kernel compares the time that a decision by features takes with the rate of the
// machine's arithmetic, with compiler intrinsics in C, and with gonum. See
// scripts/show.sh kernel.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/bandit/score"
)

// sizes are the synthetic instance of Zhou and Chowdhury (2024) and their two of learning to
// rank, with the greatest allowed ratio to the limit.
var sizes = []struct { //nolint:gochecknoglobals // a table
	d, k int
	want float64
}{{10, 100, 2.2}, {57, 908, 1.5}, {128, 1000, 1.25}}

// rounds is how often everything is measured, alternately; the best of each counts.
const rounds = 15

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// A reference is the C program, which answers questions.
type reference struct {
	in  io.Writer
	out *bufio.Reader
}

// start starts the compiled reference.
func start(path string) (r reference, err error) {
	c := exec.Command(path)
	in, err := c.StdinPipe()
	if err != nil {
		return r, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return r, err
	}
	return reference{in, bufio.NewReader(out)}, c.Start()
}

// ask returns the reference's measurements for d features and k actions, with vectors of 256 bits
// and with the widest ones.
func (r reference) ask(d, k int) (narrow, wide float64, err error) {
	if _, err = fmt.Fprintln(r.in, d, k); err != nil {
		return 0, 0, err
	}
	_, err = fmt.Fscan(r.out, &narrow, &wide)
	return narrow, wide, err
}

func run(path string) error {
	r, err := start(path)
	if err != nil {
		return err
	}
	short := false
	for _, s := range sizes {
		t, err := measure(r, s.d, s.k)
		if err != nil {
			return err
		}
		d, k := float64(s.d), float64(s.k)
		flops := 2*k*d + k*d*(d+1)
		limit := flops / t.narrowPeak
		fmt.Printf("d = %d, K = %d: %.0f flop, limit %.0f ns at %.1f Gflop/s (256 bits); widest vectors %.1f Gflop/s\n", s.d, s.k, flops, limit, t.narrowPeak, t.widePeak)
		row := func(name string, ns float64) {
			fmt.Printf("  %-36s %10.0f ns %8.2f of the limit\n", name, ns, ns/limit)
		}
		row("products and squares", t.decision)
		row("  products", t.products)
		row("C intrinsics, 256 bits", t.narrow)
		row("C intrinsics, widest", t.wide)
		row("gonum Inner and Dot", t.gonum)
		fmt.Printf("  wanted %.2f of the limit\n", s.want)
		short = short || t.decision > s.want*limit
	}
	if short {
		return fmt.Errorf("a decision takes longer than is wanted")
	}
	return nil
}

// times are the best of all rounds, in nanoseconds, and peaks in Gflop/s.
type times struct{ narrowPeak, widePeak, decision, products, narrow, wide, gonum float64 }

func measure(r reference, d, k int) (t times, err error) {
	q := newProblem(d, k)
	products, squares := make([]float64, k), make([]float64, k)
	t = times{decision: 1e18, products: 1e18, narrow: 1e18, wide: 1e18, gonum: 1e18}
	for range rounds {
		narrow, wide, err := r.ask(0, 0)
		if err != nil {
			return t, err
		}
		t.narrowPeak, t.widePeak = max(t.narrowPeak, narrow), max(t.widePeak, wide)
		if narrow, wide, err = r.ask(d, k); err != nil {
			return t, err
		}
		t.narrow, t.wide = min(t.narrow, narrow), min(t.wide, wide)
		t.decision = min(t.decision, best(20, func() {
			score.Products(products, q.theta, q.xs)
			score.Squares(squares, q.w, q.xs)
		}))
		t.products = min(t.products, best(20, func() { score.Products(products, q.theta, q.xs) }))
		t.gonum = min(t.gonum, best(1, func() {
			for i, x := range q.xs {
				v := mat.NewVecDense(d, x)
				products[i], squares[i] = mat.Dot(v, q.vector), mat.Inner(v, q.inverse, v)
			}
		}))
	}
	return t, nil
}

// best returns the least time of a call in samples of about 200 µs.
func best(samples int, f func()) (ns float64) {
	begin := time.Now()
	f()
	n := int(max(1, 200*time.Microsecond/max(1, time.Since(begin))))
	all := make([]float64, samples)
	for i := range all {
		begin = time.Now()
		for range n {
			f()
		}
		all[i] = float64(time.Since(begin).Nanoseconds()) / float64(n)
	}
	return slices.Min(all)
}

// A problem is k vectors of d entries, and a triangular matrix.
type problem struct {
	theta   []float64
	vector  *mat.VecDense // theta
	w       score.Panels
	inverse *mat.Dense
	xs      []score.Features
}

func newProblem(d, k int) problem {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	w := score.Triangle(normal(d * (d + 1) / 2))
	p := problem{theta: normal(d), w: w.Panels(d), inverse: mat.NewDense(d, d, normal(d*d))}
	p.vector = mat.NewVecDense(d, p.theta)
	for range k {
		p.xs = append(p.xs, normal(d))
	}
	return p
}
