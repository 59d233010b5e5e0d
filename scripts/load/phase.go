package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// times are a sorted sample.
type times []time.Duration

func (t times) at(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(len(t)-1, int(q*float64(len(t))))]
}

func short(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

const header = "                                         rate/s      p50       p90       p99       max   fsync p50   fsync p99   CPU peer, client   client late p99"

func (t times) print(name string) {
	fmt.Printf("%-38s %8s %9v %9v %9v %9v\n", name, "", short(t.at(.5)), short(t.at(.9)), short(t.at(.99)), short(t.at(1)))
}

// A phase is the result of a measurement.
type phase struct {
	times
	raw    times // appends with fsync during the phase
	took   time.Duration
	late   time.Duration // delay with which the client began a request, 99 in 100
	server float64       // CPUs
	client float64
}

func (p *phase) rate() float64 { return float64(len(p.times)) / p.took.Seconds() }

func (p *phase) print(name string) {
	fmt.Printf("%-38s %8.0f %9v %9v %9v %9v   %9v   %9v   %.2f, %.2f         %9v\n", name, p.rate(),
		short(p.at(.5)), short(p.at(.9)), short(p.at(.99)), short(p.at(1)),
		short(p.raw.at(.5)), short(p.raw.at(.99)), p.server, p.client, short(p.late))
}

// job is a request and when to send it.
type job struct {
	request [][]byte
	due     time.Time
}

// A server is what requests are sent to.
type server struct {
	addr string
	cpu  func() float64 // seconds that it has used
}

// phase sends requests to the first peer at a rate and waits for all answers.
func (l *loader) phase(requests [][][]byte, rate int) (*phase, error) {
	return l.phaseAt(server{l.net.addr, l.net.cpu}, requests, rate)
}

func (l *loader) phaseAt(to server, requests [][][]byte, rate int) (*phase, error) {
	jobs := make(chan job, len(requests))
	var all sync.WaitGroup
	each := make([]times, conns)
	errs := make([]error, conns)
	var failed atomic.Bool
	for i := range conns {
		c, err := net.Dial("tcp", to.addr)
		if err != nil {
			return nil, err
		}
		all.Go(func() {
			defer func() { _ = c.Close() }()
			w := wire{c: c, buf: make([]byte, 4096)}
			for j := range jobs {
				if errs[i] != nil || failed.Load() {
					continue
				}
				if errs[i] = w.ask(j.request); errs[i] != nil {
					failed.Store(true)
				}
				each[i] = append(each[i], time.Since(j.due))
			}
		})
	}
	p := &phase{}
	stop := l.disk.meanwhile(&p.raw)
	used, client := to.cpu(), ownCPU()
	begin := time.Now().Add(10 * time.Millisecond)
	late := dispatch(jobs, requests, begin, time.Second/time.Duration(rate))
	all.Wait()
	p.took, p.late = time.Since(begin), late.at(.99)
	p.server, p.client = (to.cpu()-used)/p.took.Seconds(), (ownCPU()-client)/p.took.Seconds()
	err := errors.Join(append(errs, stop())...)
	for _, t := range each {
		p.times = append(p.times, t...)
	}
	slices.Sort(p.times)
	return p, err
}

// dispatch passes on every request at its time, and returns its own delays.
func dispatch(jobs chan<- job, requests [][][]byte, begin time.Time, gap time.Duration) times {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	late := make(times, 0, len(requests))
	for i := 0; i < len(requests); {
		now := time.Now()
		due := begin.Add(time.Duration(i) * gap)
		if wait := due.Sub(now); wait > 0 {
			pause(wait)
			continue
		}
		late = append(late, now.Sub(due))
		jobs <- job{requests[i], due}
		i++
	}
	close(jobs)
	slices.Sort(late)
	return late
}

// wire is a connection with the minimum of HTTP that the peer's answers need.
type wire struct {
	c   net.Conn
	buf []byte
}

// ask sends a request and reads the answer, which must be good.
func (w *wire) ask(request net.Buffers) error {
	parts := slices.Clone(request) // writing consumes them
	if _, err := parts.WriteTo(w.c); err != nil {
		return err
	}
	n := 0
	for {
		m, err := w.c.Read(w.buf[n:])
		if err != nil {
			return err
		}
		n += m
		head := bytes.Index(w.buf[:n], []byte("\r\n\r\n"))
		if head < 0 {
			if n == len(w.buf) {
				return errors.New("an answer with a long head")
			}
			continue
		}
		_, rest, ok := bytes.Cut(w.buf[:head], []byte("Content-Length: "))
		if !ok {
			return fmt.Errorf("no length in %q", w.buf[:head])
		}
		if i := bytes.IndexByte(rest, '\r'); i >= 0 {
			rest = rest[:i]
		}
		length, err := strconv.Atoi(string(rest))
		if err != nil {
			return err
		}
		if n < head+4+length {
			if head+4+length > len(w.buf) {
				return errors.New("a long answer")
			}
			continue
		}
		if !bytes.HasPrefix(w.buf, []byte("HTTP/1.1 200 ")) {
			return fmt.Errorf("answer %q", w.buf[:n])
		}
		return nil
	}
}

// disk measures how long it takes to append to a file and sync it.
type disk struct{ path string }

func (d *disk) open() (*os.File, error) {
	return os.OpenFile(d.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// one appends a record.
func one(f *os.File) (time.Duration, error) {
	var record [300]byte
	begin := time.Now()
	_, err := f.Write(record[:])
	err = errors.Join(err, f.Sync())
	return time.Since(begin), err
}

// measure appends repeatedly for a while.
func (d *disk) measure(length time.Duration) (times, error) {
	f, err := d.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var t times
	for begin := time.Now(); time.Since(begin) < length; {
		took, err := one(f)
		if err != nil {
			return nil, err
		}
		t = append(t, took)
		time.Sleep(time.Millisecond)
	}
	slices.Sort(t)
	return t, nil
}

// meanwhile appends now and then until the returned function is called, which sets t.
func (d *disk) meanwhile(t *times) (stop func() error) {
	end, done := make(chan struct{}), make(chan error, 1)
	go func() {
		f, err := d.open()
		if err != nil {
			done <- err
			return
		}
		defer func() { _ = f.Close() }()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				done <- nil
				return
			case <-tick.C:
			}
			took, err := one(f)
			if err != nil {
				done <- err
				return
			}
			*t = append(*t, took)
		}
	}()
	return func() error {
		close(end)
		err := <-done
		slices.Sort(*t)
		return err
	}
}
