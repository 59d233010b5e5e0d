// Package served runs networks of real peers for programs that play their applications.
package served

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// A Peer is the address of a peer's API.
type Peer struct{ URL, Token string }

// A Network is a testnet whose peers serve applications.
type Network struct {
	Peers []Peer
	cmd   *exec.Cmd
	read  chan struct{} // closed when all its output is read
}

// Start runs `peerd testnet` with arguments until all of n peers answer. Its later output is
// dropped.
func Start(peerd string, n int, args ...string) (*Network, error) {
	x := &Network{cmd: exec.Command(peerd, append([]string{"testnet"}, args...)...), read: make(chan struct{})}
	out, err := x.cmd.StderrPipe()
	if err == nil {
		err = x.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	err = x.find(out, n)
	go func() {
		_, _ = io.Copy(io.Discard, out)
		close(x.read)
	}()
	if err != nil {
		return nil, errors.Join(err, x.Stop())
	}
	return x, nil
}

// Stop interrupts the network and waits for its end.
func (x *Network) Stop() error {
	err := x.cmd.Process.Signal(os.Interrupt)
	<-x.read
	_ = x.cmd.Wait() // returns an error because it was interrupted
	return err
}

// find reads the addresses of all peers in the network's output.
func (x *Network) find(out io.Reader, n int) error {
	place := regexp.MustCompile(`(http://\S+)  token in (\S+)`)
	lines := bufio.NewScanner(out)
	for len(x.Peers) < n && lines.Scan() {
		m := place.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		token, err := os.ReadFile(m[2])
		if err != nil {
			return err
		}
		x.Peers = append(x.Peers, Peer{m[1], strings.TrimSpace(string(token))})
	}
	if len(x.Peers) < n {
		return errors.Join(fmt.Errorf("%d peers answer, want %d", len(x.Peers), n), lines.Err())
	}
	return nil
}
