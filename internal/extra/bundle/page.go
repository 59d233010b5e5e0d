package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/version"
	"peerd.dev/node/ledger/check"
)

// A paper is what a bundle is compared with of the part [PageJSON].
type paper struct {
	Head struct {
		Site     string       `json:"site"`
		Network  string       `json:"network"`
		Printed  time.Time    `json:"printed"`
		Program  version.Info `json:"program"`
		Settings string       `json:"settings_sha256"`
		Policy   string       `json:"policy_sha256"`
		Promise  string       `json:"promise"`
	} `json:"head"`
	Budget struct {
		Epsilon dp.Cost       `json:"nano_epsilon"`
		Delta   account.Delta `json:"atto_delta"`
	} `json:"budget"`
}

// begins returns how the promise of a policy begins.
func begins(policy map[string]string) string {
	return fmt.Sprintf("ε %s and δ %s for ", policy["privacy.epsilon"], policy["privacy.delta"])
}

// page checks the parts [Page], [PageJSON] and [Build], and returns the promise in a sentence.
func (a *archive) page(parts map[string][]byte, l *check.Report, policy map[string]string, build *Program) (promise string, err error) {
	var p paper
	if err = decode(PageJSON, parts[PageJSON], &p, false); err != nil {
		return "", err
	}
	if err = decode(Build, parts[Build], build, true); err != nil {
		return "", err
	}
	h, sum := &p.Head, sha256.Sum256(parts[Settings])
	hash, text := hex.EncodeToString(sum[:]), strings.Join(strings.Fields(string(parts[Page])), " ")
	switch {
	case h.Site != a.Site || h.Network != a.Network || !h.Printed.Equal(a.Made):
		return "", fault(PageBad, "%s is of site %.70q in network %.70q at %v", PageJSON, h.Site, h.Network, h.Printed)
	case h.Settings != hash || h.Policy != l.Policy.String():
		return "", fault(PageBad, "%s is of settings %.64s and policy %.64s, and the bundle has %s and %v", PageJSON, h.Settings, h.Policy, hash, l.Policy)
	case p.Budget.Epsilon != l.Budget || p.Budget.Delta != l.Delta:
		return "", fault(PageBad, "%s promises %v and %v, and the ledger %v and %v", PageJSON, p.Budget.Epsilon, p.Budget.Delta, l.Budget, l.Delta)
	case !strings.HasPrefix(h.Promise, begins(policy)):
		return "", fault(PageBad, "%s promises %.100q, and the network agreed on %q", PageJSON, h.Promise, begins(policy))
	case build.Tags != "":
		return "", fault(BuildBad, "the program was built with tags %.70q, such as faults for tests have", build.Tags)
	case build.Info != h.Program:
		return "", fault(BuildBad, "%s says %+v, and %s %+v", Build, build.Info, PageJSON, h.Program)
	}
	for _, want := range []string{h.Promise, hash, a.Made.Format(time.DateOnly)} {
		if want == "" || !strings.Contains(text, want) {
			return "", fault(PageBad, "%s does not say %q", Page, want)
		}
	}
	return h.Promise, nil
}
