package dp

// drawer adds noise to exact numbers or, in a replay, takes what was recorded of them.
type drawer struct {
	src      *Source
	hidden   *hiddenNoise
	noise    Noise   // of the node that is drawn
	recorded []int64 // the node's numbers, where an earlier life drew them; else nil
}

// noisy returns number i of the node of a's newest leaf: exact with noise, or what is recorded.
func (d *drawer) noisy(a *accumulator, i int, exact int64) int64 {
	if d.recorded != nil {
		return d.recorded[i]
	}
	return exact + d.draw(a)
}

// hide returns noise that no node has alone: drawn, or what is recorded.
func (d *drawer) hide(a *accumulator) int64 {
	if d.recorded != nil {
		return d.hidden.next()
	}
	x := d.draw(a)
	if d.src.Private() {
		d.hidden.keep(x)
	}
	return x
}

// draw returns a number of the node's law and scale, 0 without noise.
func (d *drawer) draw(a *accumulator) int64 {
	switch {
	case d.noise.Scale == 0:
		return 0
	case d.noise.Law == Gaussian:
		return a.bug.noise(a.t, d.src.Gaussian(d.noise.Scale))
	}
	return a.bug.noise(a.t, d.src.Laplace(d.noise.Scale))
}
