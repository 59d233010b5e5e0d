package api

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// CheckListen returns what is wrong with an address for [Config.Listen], or nil.
func CheckListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
		return fmt.Errorf("%q is not an address such as 127.0.0.1:8470", address)
	}
	if !loopback(host) {
		return fmt.Errorf("%s is reachable by others: the API listens on a loopback address only, such as 127.0.0.1:%s", address, port)
	}
	return nil
}

// loopback reports whether a name or address always means this machine.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

func listenLoopback(address string) (net.Listener, error) {
	if err := CheckListen(address); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	if host, _, err := net.SplitHostPort(l.Addr().String()); err != nil || !loopback(host) { // localhost may be another machine
		return nil, errors.Join(fmt.Errorf("api: %s resolved to %s, which other machines can reach", address, l.Addr()), l.Close())
	}
	return l, nil
}

// listenUnix makes the socket of a directory. It is made in a directory that only the owner can
// open and then moved, so that its permissions are never wider.
func listenUnix(dir string) (net.Listener, error) {
	path, err := socket(dir)
	if err != nil {
		return nil, err
	}
	room := filepath.Join(filepath.Dir(path), ".s")
	if err = errors.Join(os.RemoveAll(room), os.Mkdir(room, 0o700)); err != nil {
		return nil, fmt.Errorf("api socket: %w", err)
	}
	defer func() { _ = os.RemoveAll(room) }()
	made := filepath.Join(room, socketFile)
	l, err := net.Listen("unix", made)
	if err != nil {
		return nil, fmt.Errorf("api socket: %w", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // it has another name by then
	if err = errors.Join(os.Chmod(made, 0o600), os.Rename(made, path)); err != nil {
		return nil, errors.Join(fmt.Errorf("api socket: %w", err), l.Close())
	}
	return &unixListener{Listener: l, path: path}, nil
}

// unixListener removes its socket at the end.
type unixListener struct {
	net.Listener
	path string
	once sync.Once
}

func (l *unixListener) Close() error {
	l.once.Do(func() { _ = os.Remove(l.path) })
	return l.Listener.Close()
}

// CheckDir returns what is wrong with the path of a folder for a peer's socket, or nil.
func CheckDir(dir string) error {
	_, err := socket(dir)
	return err
}

func socket(dir string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, socketFile))
	if err != nil {
		return "", err
	}
	if len(path) > maxPath {
		return "", fmt.Errorf("api socket: %s is %d bytes, at most %d: choose a shorter dir", path, len(path), maxPath)
	}
	return path, nil
}

// limited is a listener that bounds the number of open connections. Further ones wait in the
// kernel's queue, so an application that opens too many blocks itself and not the peer.
//
// With a limit of strangers, connections that have not shown a token are apart: any program of the machine can open them, and a
// further one closes the oldest. Each has at least strangerTime to show its token. Those that have shown a read token or a login alone have
// maxReaders of the places, of which a further one closes the oldest idle one: what reads takes no place from the application.
type limited struct {
	net.Listener
	room chan struct{}
	done chan struct{}
	once sync.Once

	mostStrangers int // 0: every connection is known
	mu            sync.Mutex
	strangers     []*limitedConn // the oldest first
	readers       []*limitedConn
}

func newLimited(l net.Listener, most, strangers int) *limited {
	return &limited{Listener: l, room: make(chan struct{}, most), done: make(chan struct{}), mostStrangers: strangers}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	known := l.mostStrangers == 0
	if !known {
		<-l.room
		time.Sleep(l.full())
	}
	c, err := l.Listener.Accept()
	if err != nil && known {
		<-l.room
	}
	if err != nil {
		return nil, err
	}
	x := &limitedConn{Conn: c, l: l, since: time.Now(), known: known}
	if !known {
		l.enter(x)
	}
	return x, nil
}

// full returns how long the oldest stranger still has, if a further one would close it.
func (l *limited) full() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.strangers) < l.mostStrangers {
		return 0
	}
	return strangerTime - time.Since(l.strangers[0].since)
}

// enter adds a stranger.
func (l *limited) enter(c *limitedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.strangers) == l.mostStrangers {
		_ = l.strangers[0].Conn.Close()
		l.strangers = slices.Delete(l.strangers, 0, 1)
	}
	l.strangers = append(l.strangers, c)
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// A limitedConn is a connection of a limited listener, which locks all fields except idle.
type limitedConn struct {
	net.Conn
	l     *limited
	since time.Time
	known bool // it has room
	idle  atomic.Bool
}

// introduce makes a stranger known that has shown a token, or a login: a reader until it shows that it may write. While too many are known,
// or read and are busy, it remains a stranger.
func (c *limitedConn) introduce(writes bool) {
	l := c.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if writes {
		l.readers = without(l.readers, c)
	}
	if c.known || !slices.Contains(l.strangers, c) {
		return
	}
	if !writes && len(l.readers) >= maxReaders {
		i := slices.IndexFunc(l.readers, func(o *limitedConn) bool { return o.idle.Load() })
		if i < 0 {
			return
		}
		_ = l.readers[i].end()
	}
	select {
	case l.room <- struct{}{}:
		c.known, l.strangers = true, without(l.strangers, c)
		if !writes {
			l.readers = append(l.readers, c)
		}
	default:
	}
}

func (c *limitedConn) Close() error {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	return c.end()
}

func (c *limitedConn) end() error {
	c.l.strangers, c.l.readers = without(c.l.strangers, c), without(c.l.readers, c)
	if c.known {
		c.known = false
		<-c.l.room
	}
	return c.Conn.Close()
}

func without(all []*limitedConn, c *limitedConn) []*limitedConn {
	return slices.DeleteFunc(all, func(o *limitedConn) bool { return o == c })
}
