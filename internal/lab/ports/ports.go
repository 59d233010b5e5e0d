// Package ports chooses the ports of peers on one machine.
package ports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// Ports that processes are given lie below those that systems hand out for port 0 and for connections, which
// begin at 32768 or above: no other program is given one between its choice and the start of its process.
const (
	firstPort = 20_000
	lastPort  = 32_767
)

// chosen is the port that was chosen last. This process takes all other ports before it chooses a
// port again, even if nothing listens on that port yet.
var chosen = struct { //nolint:gochecknoglobals // networks that start at once share it
	sync.Mutex
	port int
}{port: firstPort + rand.IntN(lastPort-firstPort)} //nolint:forbidigo // no trace depends on a port

// Free returns n different ports that were free a moment ago.
func Free(n int) (free []int, err error) {
	chosen.Lock()
	defer chosen.Unlock()
	for tried := 0; len(free) < n; tried++ {
		if tried > lastPort-firstPort {
			return nil, errors.Join(fmt.Errorf("no %d free ports from %d to %d", n, firstPort, lastPort), err)
		}
		if chosen.port++; chosen.port > lastPort {
			chosen.port = firstPort
		}
		l, failed := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", chosen.port))
		if failed != nil {
			err = failed
			continue
		}
		_ = l.Close()
		free = append(free, chosen.port)
	}
	return free, nil
}
