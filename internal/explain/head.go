package explain

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/version"
)

// A headDoc says of what and when a page is, so that it can be filed.
type headDoc struct {
	Site     string       `json:"site,omitempty"` // empty without a folder that is in a network
	Network  string       `json:"network,omitempty"`
	Version  uint64       `json:"network_version,omitempty"` // of a signed document
	Others   []string     `json:"other_sites,omitempty"`
	Printed  time.Time    `json:"printed"`
	Program  version.Info `json:"program"`
	Settings string       `json:"settings_sha256"`         // of what `peerd config show --yaml` prints
	Policy   string       `json:"policy_sha256,omitempty"` // of what all peers agreed on, as in record 0 of the ledger
	Promise  string       `json:"promise"`                 // in a sentence
}

func headOf(s *config.Settings, network *config.Network, printed time.Time) headDoc {
	sum, values := s.FileHash(), s.Values()
	h := headDoc{Promise: config.PromiseText("this site", func(key string) string { return values[key] }), Printed: printed.UTC(), Program: version.Read(), Settings: hex.EncodeToString(sum[:])}
	if network == nil {
		return h
	}
	h.Network, h.Version = network.Name, network.Version
	if s.Simulated().Records == 0 { // else the policy has the hash of a data file, too
		policy := config.PolicyHash(s, network, "")
		h.Policy = hex.EncodeToString(policy[:])
	}
	id, err := s.Identity()
	if err != nil {
		return h
	}
	self, ok := network.Index(id.ID())
	for i, p := range network.Peers {
		switch {
		case ok && i == int(self):
			h.Site = p.Name
		case ok && !p.Absent():
			h.Others = append(h.Others, p.Name)
		}
	}
	return h
}

// blank is a place for what only the site knows.
const blank = "to be filled in by the site: ____________________"

// orBlank returns a text, or a place for it.
func orBlank(text string) string {
	if text == "" {
		return blank
	}
	return text
}

// Heading is the first line of the page.
func (d *Document) Heading() string {
	switch {
	case d.Head.Site != "":
		return "What " + d.Head.Site + " promises its users"
	case d.File != "":
		return "What a peer promises its users, by " + d.File
	}
	return "What a peer promises its users, by defaults and flags"
}

func (d *Document) writeHead(p *sections) {
	h := d.Head
	p.title("For the file")
	p.item("Site: %s", orBlank(h.Site))
	network := orBlank(h.Network)
	if h.Version > 0 {
		network += fmt.Sprintf(", version %d of its signed document", h.Version)
	}
	p.item("Network: %s", network)
	p.item("Printed: %s (UTC)", h.Printed.Format(time.DateOnly)) // what is streamed does not change every second
	program := "peerd " + h.Program.Version
	if h.Program.Revision != "" {
		program += ", commit " + h.Program.Revision
	}
	if h.Program.Modified {
		program += " with changes"
	}
	p.item("Program: %s, %s, %s", program, h.Program.Go, h.Program.Platform)
	where := "--dir FOLDER"
	if h.Site == "" && d.File != "" {
		where = d.File
	}
	p.item("Settings: SHA-256 %s, which `peerd config show --yaml %s | sha256sum` prints, with the flags and variables of the peer if it has any", h.Settings, where)
	if h.Policy != "" {
		p.item("Agreed by all sites: SHA-256 %s, which record 0 of the ledger has as policy", h.Policy)
	}
}

// writeShort begins with what is not protected.
func (d *Document) writeShort(p *sections, s *config.Settings) {
	p.title("In short")
	switch {
	case !d.Private:
		p.say("None. Mode lockstep protects no one: everything, including the noise, follows from a seed. What follows is what the same settings would mean for people's rewards.")
	case d.World != config.Application && s.Simulated().Records == 0:
		p.say("The rewards of world %s are simulated and belong to no one. The page says what the settings would mean for people's.", d.World)
	}
	open, _ := d.with(public)
	hidden, _ := d.with(unseen)
	switch {
	case len(hidden) > 0:
		p.say("While api.shadow is propose, nothing about users leaves this site: not %s.", sentence(hidden, "nor"))
		p.claim(d.facts...)
	case d.is(presence) == public:
		if d.Inside != nil {
			p.say("%s", d.Inside.Given)
		}
		p.say("Membership is NOT protected: %s%s are public.", d.given("of given decisions, "), sentence(open, "and"))
		p.claim(claim{presence, public})
	default:
		p.say("Membership is protected, as rewards are.")
		p.claim(claim{presence, protected}, claim{reward, protected})
	}
	if d.Budget == nil {
		return
	}
	if kept, of := d.with(protected); len(kept) > 0 {
		p.say("Protected by noise: %s%s.", d.given("of given decisions, "), sentence(kept, "and"))
		for _, f := range of {
			p.claim(claim{f, protected})
		}
	}
	text := d.Head.Promise
	switch {
	case len(hidden) > 0:
		p.say("What is charged for the time after that: %s.", text)
	case s.Privacy.Counts == config.NoisedCounts:
		p.say("The promise: %s.", text)
		p.claim(claim{presence, protected})
	default:
		p.say("The promise: %s.", text)
		p.claim(claim{presence, public})
	}
	p.say("Someone who sees everything that the peer sends, and who first thought two accounts of a user equally likely, names the right one with probability at most %s.", percent(d.Budget.Chance))
	if x := d.Inside; x != nil {
		p.say("%s", x.Kept)
		p.claim(claim{keeping, within})
		p.say("%s", x.Provided)
		p.say("%s", x.Question)
	}
}

// sentence lists texts with a word before the last.
func sentence(texts []string, last string) string {
	n := len(texts) - 1
	if n < 1 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:n], ", ") + " " + last + " " + texts[n]
}
