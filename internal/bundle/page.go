package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/version"
	"peerd.dev/node/ledger"
)

// A paper is what a bundle is compared with of the part [PageJSON].
type paper struct {
	Site     string       `json:"site"`
	Network  string       `json:"network"`
	Date     time.Time    `json:"date"`
	Settings string       `json:"settings_sha256"`
	Promise  string       `json:"promise"`
	Build    version.Info `json:"build"`
	Budget   struct {
		Epsilon dp.Cost       `json:"nano_epsilon"`
		Delta   account.Delta `json:"atto_delta"`
	} `json:"budget"`
}

// page checks the parts [Page], [PageJSON] and [Build], and returns the promise in a sentence.
func (a *archive) page(parts map[string][]byte, l *ledger.Report, build *Program) (promise string, err error) {
	var p paper
	if err = decode(PageJSON, parts[PageJSON], &p, false); err != nil {
		return "", err
	}
	if err = decode(Build, parts[Build], build, true); err != nil {
		return "", err
	}
	sum := sha256.Sum256(parts[Settings])
	hash, date, text := hex.EncodeToString(sum[:]), a.Made.Format(time.RFC3339), strings.Join(strings.Fields(string(parts[Page])), " ")
	switch {
	case p.Site != a.Site || p.Network != a.Network || !p.Date.Equal(a.Made):
		return "", fault(PageBad, "%s is of site %.70q in network %.70q at %v", PageJSON, p.Site, p.Network, p.Date)
	case p.Settings != hash:
		return "", fault(PageBad, "%s is of settings %.64s, and %s has SHA-256 %s", PageJSON, p.Settings, Settings, hash)
	case p.Budget.Epsilon != l.Budget || p.Budget.Delta != l.Delta:
		return "", fault(PageBad, "%s promises %v and %v, and the ledger %v and %v", PageJSON, p.Budget.Epsilon, p.Budget.Delta, l.Budget, l.Delta)
	case p.Promise == "" || !strings.Contains(text, p.Promise) || !strings.Contains(text, hash) || !strings.Contains(text, date):
		return "", fault(PageBad, "%s does not say %q of settings %s at %s", Page, p.Promise, hash, date)
	case build.Tags != "":
		return "", fault(BuildBad, "the program was built with tags %.70q, such as faults for tests have", build.Tags)
	case build.Info != p.Build:
		return "", fault(BuildBad, "%s says %+v, and %s %+v", Build, build.Info, PageJSON, p.Build)
	}
	return p.Promise, nil
}
