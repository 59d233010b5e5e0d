package page

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

const (
	enterPath  = Prefix + "enter"
	cookieName = "peerd_page"
	codeTime   = time.Minute
	loginTime  = 12 * time.Hour
	mostLogins = 64
)

// logins are codes and cookies that open the page, by their hash, with their end. They are gone when the peer restarts.
type logins struct {
	mu      sync.Mutex
	codes   map[[sha256.Size]byte]time.Time
	cookies map[[sha256.Size]byte]time.Time
}

// add returns a new secret, which is valid until a time. The one that ends first makes room.
func (l *logins) add(to *map[[sha256.Size]byte]time.Time, now, until time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if *to == nil {
		*to = make(map[[sha256.Size]byte]time.Time)
	}
	var first [sha256.Size]byte
	for k, end := range *to {
		if end.Before(now) {
			delete(*to, k)
		} else if old, ok := (*to)[first]; !ok || end.Before(old) {
			first = k
		}
	}
	if len(*to) >= mostLogins {
		delete(*to, first)
	}
	secret := rand.Text()
	(*to)[sha256.Sum256([]byte(secret))] = until
	return secret
}

// Link returns the path of a link that opens the page once, within a minute.
func (p *Page) Link() string {
	now := p.now()
	return enterPath + "?code=" + p.logins.add(&p.logins.codes, now, now.Add(codeTime))
}

// enter exchanges a code for a cookie. What asks for a link before a person opens it does not use it up.
func (p *Page) enter(w http.ResponseWriter, r *http.Request) {
	if h := r.Header; r.Method != http.MethodGet || h.Get("Sec-Purpose") != "" || h.Get("Purpose") != "" || h.Get("X-Moz") != "" {
		p.refuse(w, http.StatusForbidden, "The link opens the page for a person, and nothing in advance.")
		return
	}
	key, now := sha256.Sum256([]byte(r.URL.Query().Get("code"))), p.now()
	p.logins.mu.Lock()
	until, ok := p.logins.codes[key]
	delete(p.logins.codes, key)
	p.logins.mu.Unlock()
	if !ok || until.Before(now) {
		p.refuse(w, http.StatusUnauthorized, "The link has been used, or is older than a minute. The command peerd page prints another.")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: p.logins.add(&p.logins.cookies, now, now.Add(loginTime)), // a browser sends it to the folder of this path
		MaxAge: int(loginTime.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	// A redirect would be followed without the cookie where the link was opened from another program's page.
	w.Header().Set("Refresh", "0; url=./")
	p.refuse(w, http.StatusOK, "You are in. The page opens.")
}

// Known reports whether a request has the cookie of a login.
func (p *Page) Known(r *http.Request) bool {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	p.logins.mu.Lock()
	defer p.logins.mu.Unlock()
	until, ok := p.logins.cookies[sha256.Sum256([]byte(c.Value))]
	return ok && p.now().Before(until)
}
