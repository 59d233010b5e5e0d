package page

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/node/api"
)

const (
	mostRequests  = 32 // at once, of any program of the machine: the application keeps its room at the socket
	headerTimeout = time.Second
	lookEvery     = time.Second
)

// forward answers at a listener, below a path that nobody can guess, with the page of the peer of a folder, until ctx is done, which is no
// error, or the peer has stopped. All programs of the machine can ask: nothing but the page is passed on, with the names of hosts, and the
// peer wants a login. A browser sends the cookie of a login to whoever has the port later, but to the path of that login alone.
func forward(ctx context.Context, dir string, l net.Listener, below string) error {
	way, err := api.Socket(dir)
	if err != nil {
		return err
	}
	way.MaxConnsPerHost = mostRequests
	proxy := &httputil.ReverseProxy{
		Transport: way, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "peer"
			r.Out.Header.Set(api.ForwardedPage, "yes")
		},
	}
	server := &http.Server{ReadHeaderTimeout: headerTimeout, ErrorLog: proxy.ErrorLog, Handler: http.StripPrefix(below, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, api.PagePrefix) {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))}
	defer func() { _ = server.Close() }()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err = <-failed:
			return err
		case <-time.After(lookEvery):
		}
		c, err := way.DialContext(ctx, "", "")
		if err != nil && ctx.Err() == nil {
			return config.Failf(config.ErrNetwork, "the peer in %s has stopped, and its page with it: start it, and run peerd page again", dir)
		}
		if err == nil {
			_ = c.Close()
		}
	}
}
