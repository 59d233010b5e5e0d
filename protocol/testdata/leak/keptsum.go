// An exact sum of a site's kept half.
package leak

import "peerd.dev/node/kept"

func leak(h *kept.Half) int64 { return h.parts[0].sums[0] }

// h.parts undefined (cannot refer to unexported field parts)
