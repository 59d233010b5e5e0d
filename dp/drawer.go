package dp

// drawer is the [mechanism.Drawer] of a curator.
type drawer struct {
	src      *Source
	hidden   *hiddenNoise
	noise    Noise   // of the node that is being drawn
	recorded []int64 // the node's numbers if an earlier life drew them; else nil
}

func (d *drawer) Noisy(i int, exact int64) int64 {
	if d.recorded != nil {
		return d.recorded[i]
	}
	return exact + d.draw()
}

func (d *drawer) Recorded() []int64 { return d.recorded }

func (d *drawer) Hide() int64 {
	if d.recorded != nil {
		return d.hidden.next()
	}
	x := d.draw()
	if d.src.Private() {
		d.hidden.keep(x)
	}
	return x
}

func (d *drawer) Short() bool { return d.hidden.short }

// draw returns a number with the node's distribution and scale, 0 without noise.
func (d *drawer) draw() int64 {
	switch {
	case d.noise.Scale == 0:
		return 0
	case d.noise.Law == Gaussian:
		return d.src.Gaussian(d.noise.Scale)
	}
	return d.src.Laplace(d.noise.Scale)
}
