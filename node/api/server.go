package api

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"peerd.dev/internal/vouch"
)

// MaxBody is the largest body of a request in bytes.
const MaxBody int64 = 4 << 20

const (
	headerTimeout = time.Second
	bodyTimeout   = 15 * time.Second // for the whole request
	writeTimeout  = 60 * time.Second // from the end of the header to the end of the answer
	idleTimeout   = 2 * time.Minute
	drainTimeout  = 2 * time.Second // for requests in progress at the end; a peer ends within three seconds
	maxHeader     = 16 << 10
	headerSlack   = 4 << 10 // that net/http reads beyond its limit
	maxConns      = 512     // open at once on a listener; more wait
	maxStrangers  = 64      // connections over TCP that have not shown a token, apart from the others
	maxReaders    = 64      // connections over TCP that have shown a read token or a login alone, of maxConns
	strangerTime  = 20 * time.Millisecond
)

// Config describes a [Server].
type Config struct {
	Dir          string        // of the peer; holds the socket and the token
	Listen       string        // a loopback address for TCP, such as 127.0.0.1:8470; "" for none
	Backend      Backend       // the peer
	Logger       *slog.Logger  // nil logs nothing
	Version      string        // of the program
	Every        time.Duration // length of a round
	Collectors   []any         // further metrics, of the extra that has them; none may be computed from rewards
	Page         Page          // for people; nil for none
	Views        []View        // of extras
	HiddenCounts bool          // the number of decisions is protected, so no metric counts requests for them
}

// Metrics count requests, and answer GET /metrics.
type Metrics interface {
	http.Handler
	Observe(route string, status int, took time.Duration)
	Item(route string, status int) // an item of a route
}

// A Meter makes the metrics of a server. It is given the backend, which has exact rewards and the folder.
type Meter func(c Config, panicked func(any)) Metrics

var newMetrics Meter //nolint:gochecknoglobals // an extra sets it in its init; nil for none

// Measure makes servers have metrics, for the init function of an extra of this module.
func Measure(by vouch.Value[Meter]) { newMetrics = by.Get() }

// Server serves the API on a unix socket and, if configured, on a TCP port of the
// loopback interface.
type Server struct {
	c       Config
	log     *slog.Logger
	mux     *http.ServeMux
	public  map[string]bool   // paths that need no token
	local   map[string]bool   // paths that are answered over the socket only
	least   map[string]role   // that paths need, whatever the method
	tokens  [admin + 1][]byte // for TCP, by role
	cross   *http.CrossOriginProtection
	metrics Metrics                                   // nil for none
	bodies  sync.Pool                                 // of *bytes.Buffer
	taken   atomic.Int64                              // bytes of large bodies that are being read; see take
	crowded atomic.Bool                               // there was no room for a further one
	giving  atomic.Bool                               // memory is about to be given back
	values  struct{ noStore, noSniff, json []string } // of headers; never changed
	unix    net.Listener
	tcp     net.Listener // nil without Listen
}

// connection is the key of a request's connection in its context.
type connection struct{}

// NewServer opens the listeners; [Server.Run] answers. It replaces a socket left by a killed
// peer; the caller holds the lock of the directory.
func NewServer(c Config) (_ *Server, err error) {
	if c.Backend == nil {
		return nil, errors.New("api: no backend")
	}
	s := &Server{
		c: c, log: c.Logger, mux: http.NewServeMux(), public: make(map[string]bool), local: make(map[string]bool), least: make(map[string]role),
		cross:  http.NewCrossOriginProtection(),
		bodies: sync.Pool{New: func() any { return new(bytes.Buffer) }},
	}
	s.values.noStore, s.values.noSniff, s.values.json = []string{"no-store"}, []string{"nosniff"}, []string{"application/json"}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if newMetrics != nil {
		s.metrics = newMetrics(c, s.panicked)
	}
	s.routes()
	if c.Listen != "" {
		if s.tokens, err = readTokens(c.Dir); err != nil {
			return nil, err
		}
		if s.tcp, err = listenLoopback(c.Listen); err != nil {
			return nil, err
		}
	}
	if s.unix, err = listenUnix(c.Dir); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Addr returns the address of the TCP listener, nil if there is none.
func (s *Server) Addr() net.Addr {
	if s.tcp == nil {
		return nil
	}
	return s.tcp.Addr()
}

// Close closes the listeners if they are still open. Run closes them when it returns.
func (s *Server) Close() error {
	var errs []error
	for _, l := range []net.Listener{s.unix, s.tcp} {
		if l == nil {
			continue
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Run answers until ctx is done, which is a nil error; requests in progress get two seconds to
// end. It must be called once.
func (s *Server) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	failed := make(chan error, 2) // each listener fails at most once
	serve := func(l net.Listener, strangers int, h http.Handler) {
		server := &http.Server{
			Handler: h, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
			ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: writeTimeout,
			ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connection{}, c) },
			ConnState:   func(c net.Conn, is http.ConnState) { c.(*limitedConn).idle.Store(is == http.StateIdle) },
			IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader - headerSlack, DisableGeneralOptionsHandler: true,
		}
		all.Go(func() {
			if err := server.Serve(newLimited(l, maxConns, strangers)); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
				stop()
			}
		})
		all.Go(func() {
			<-ctx.Done()
			if s.c.Page != nil {
				s.c.Page.Close()
			}
			drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
			defer cancel()
			if server.Shutdown(drain) != nil {
				_ = server.Close()
			}
		})
	}
	serve(s.unix, 0, s.handler(false))
	if s.tcp != nil {
		s.log.Info("api listens", "address", s.tcp.Addr().String())
		serve(s.tcp, maxStrangers, s.handler(true))
	}
	if s.c.Page != nil {
		all.Go(func() { s.c.Page.Run(ctx) })
	}
	all.Wait()
	close(failed)
	return <-failed
}
