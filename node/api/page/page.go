// Package page shows a peer to people: to its operator whether it is well, to a privacy officer what was promised and what has left.
// It is read-only, and except for what is inside it shows nothing that the read role may not read.
package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"peerd.dev/node/api"
)

//go:embed *.html style.css script.js icon.svg
var files embed.FS

// Prefix begins the paths of the page.
const Prefix = api.PagePrefix

// A Page answers requests below [Prefix].
type Page struct {
	menu    []view
	show    func(ctx context.Context, v view, inside bool) (any, error) // to a person who may see what is inside, or not
	look    func(context.Context, time.Time) error                      // takes a sample, if one is due
	log     *slog.Logger
	now     func() time.Time
	views   *template.Template
	logins  logins
	streams streams
	assets  map[string]asset // by name
}

var _ api.Page = (*Page)(nil)

// An asset is a file that is the same for all peers. Its name has its hash. All paths are relative: a proxy may serve the page below any other.
type asset struct {
	kind    string
	content []byte
}

// New returns the page of a peer.
func New(peer api.Backend, log *slog.Logger) *Page {
	s := newSource(peer)
	p := newPage(append(views(), insideView()), s.show, log)
	p.look = s.look
	return p
}

func newPage(menu []view, show func(context.Context, view, bool) (any, error), log *slog.Logger) *Page {
	p := &Page{menu: menu, show: show, log: log, now: time.Now, look: func(context.Context, time.Time) error { return nil }, assets: make(map[string]asset)}
	p.streams.ended, p.streams.events = make(chan struct{}), make(map[string]*event)
	for _, v := range menu {
		p.streams.events[v.Name] = new(event)
	}
	hashed := make(map[string]string)
	for name, kind := range map[string]string{"style.css": "text/css; charset=utf-8", "script.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"} {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		hash := sha256.Sum256(b)
		hashed[name] = hex.EncodeToString(hash[:6]) + "." + name
		p.assets[hashed[name]] = asset{kind, b}
	}
	helpers := texts()
	helpers["asset"] = func(name string) string { return hashed[name] }
	p.views = template.Must(template.New("").Funcs(helpers).ParseFS(files, "*.html"))
	return p
}

// Close ends all streams, and Run.
func (p *Page) Close() { p.streams.close() }

// allows reports whether a request may see a view. The cookie of a login has all rights, as the socket has that it came from.
func (p *Page) allows(r *http.Request, v view) bool {
	return p.Known(r) || api.HasRole(r, v == insideView())
}

// ServeHTTP implements [http.Handler] for requests that [api.Server] lets in.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; " +
			"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types peerd",
		"Referrer-Policy": "no-referrer", "Permissions-Policy": "camera=(), geolocation=(), microphone=()", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		h.Set(name, value)
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		p.refuse(w, http.StatusMethodNotAllowed, "The page is read-only.")
		return
	}
	if r.URL.Path == enterPath { // also from the file that peerd page has written
		p.enter(w, r)
		return
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && !slices.Contains(strings.Fields("same-origin none"), site) {
		p.refuse(w, http.StatusForbidden, "Another page asked for this one. Open the link that peerd page prints.")
		return
	}
	if a, ok := p.assets[strings.TrimPrefix(r.URL.Path, Prefix)]; ok {
		h.Set("Content-Type", a.kind)
		h.Set("Cache-Control", "max-age=31536000, immutable")
		_, _ = w.Write(a.content)
		return
	}
	if !p.allows(r, view{}) {
		p.refuse(w, http.StatusUnauthorized, "The page is for people who can read the peer's folder: the command peerd page, with --dir, prints a link that opens it. A link works once, within a minute; a login lasts 12 hours, and ends when the peer restarts.")
		return
	}
	if r.URL.Path == eventsPath {
		p.events(w, r)
		return
	}
	v, ok := p.viewAt(r.URL.Path)
	if !ok {
		p.refuse(w, http.StatusNotFound, "There is no such page.")
		return
	}
	if !p.allows(r, v) {
		p.refuse(w, http.StatusForbidden, notInside)
		return
	}
	b, err := p.render(r.Context(), v, "page", p.allows(r, insideView()))
	if err != nil {
		p.log.Warn("the page cannot be shown", "view", v.Name, "err", err)
		p.refuse(w, http.StatusServiceUnavailable, "The peer cannot answer now: "+err.Error())
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b)
}

// notInside refuses what is inside to the read role.
const notInside = "This is for the site's own people: it wants a token with role write, or the link that peerd page prints."

// render renders a view, all of it or the part that changes, for a person who may see what is inside, or not.
func (p *Page) render(ctx context.Context, v view, part string, inside bool) ([]byte, error) {
	shown, err := p.show(ctx, v, inside)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err = p.views.ExecuteTemplate(&b, part, shown); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// refuse answers with a sentence.
func (p *Page) refuse(w http.ResponseWriter, status int, sentence string) {
	var b bytes.Buffer
	if err := p.views.ExecuteTemplate(&b, "refusal", sentence); err != nil {
		p.log.Error("the page has no form", "err", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// viewAt returns the view at a path.
func (p *Page) viewAt(path string) (view, bool) {
	name, ok := strings.CutPrefix(path, Prefix)
	for _, v := range p.menu {
		if ok && v.Path == name {
			return v, true
		}
	}
	return view{}, false
}
