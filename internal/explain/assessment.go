package explain

import (
	"fmt"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
)

// writeAssessment has what an assessment of the impact on data protection asks for. It is for sites with an application,
// since other rewards belong to no one.
func (d *Document) writeAssessment(p *sections, s *config.Settings) {
	if d.World != config.Application {
		return
	}
	low, high := s.API.Range().Ends()
	byFeatures := bandit.TraitsOf(s.LearnerParams()).Contextual
	features, more := "", ""
	if byFeatures {
		features, more = ", features", ", the features of what was on offer"
		if all := append(s.Features.Context[:len(s.Features.Context):len(s.Features.Context)], s.Features.Action...); len(all) > 0 {
			more += " (features.context, features.action: " + strings.Join(all, ", ") + ")"
		}
	}
	p.title("Impact assessment: data and purpose")
	p.item("Processing: for each decision the site's application asks the peer for one of the actions %s, and reports a reward from %v to %v later. The peer learns from the rewards of all sites which action has the greatest (learner %s, protocol %s).",
		strings.Join(s.Arms, ", "), low, high, s.Learner.Name, s.Protocol.Name)
	p.item("Stored of a decision: its id, the action and its probability, the reward%s, and 8 bytes of a salted hash of its subject, if it has one. Of a subject: the hash and the number of its decisions. The salt is in the same store, so someone with the folder can test a name.", more)
	for _, x := range d.Users {
		p.item("%s.", upper(x))
	}
	p.title("Where data go")
	api := ""
	if s.API.Listen != "" {
		api = " and " + s.API.Listen + " (api.listen)"
	}
	p.item("Into the peer: from the application, over the socket peerd.sock in the peer's folder%s. Both are on this machine.", api)
	others := "the other sites of the network: " + blank
	if len(d.Head.Others) > 0 {
		others = strings.Join(d.Head.Others, ", ")
	}
	p.item("Out of the peer: sums with noise, and what is listed as public above, to %s. They pass it on, and can show it to anyone. Links between peers are encrypted. peerd sends nothing elsewhere.", others)
	p.item("Place of processing: this peer, on a machine of the site. No central service has records of users. Operator of the machine: %s", blank)
	p.title("How long data are kept")
	p.item("A decision, with its reward%s: until its window of %s (api.window) and another %s (api.keep) are over. Then it is deleted. A peer that is stopped or may not release at that time deletes it when it releases again.", features, config.DurationText(s.API.Window), config.DurationText(s.API.Keep))
	p.item("The log of steps, with rewards%s and no subjects: until the next snapshot, some 4,096 steps later or at a clean shutdown.", features)
	p.item("Hashes of subjects, exact sums that later releases need, and the ledger: as long as the folder exists.")
	p.item("Backups (peerd backup) hold all of this, and exports (peerd decisions export) raw decisions. peerd deletes neither. Kept for: %s", blank)
	p.item("Deletion: no command deletes the data of one user earlier. Deleted bytes stay in the files of the store until it merges them, at no fixed time. To delete everything here, delete the folder and its backups. What was released stays with other sites; it has the noise of the promise.")
	p.title("Access and keys")
	p.item("The folder (mode 0700) is readable by the user that runs the peer, and by root. peerd does not encrypt it. Encryption of the disk: %s", blank)
	p.item("The socket has all rights, and is accessible to that user alone. Over TCP (api.listen) a request needs a token of the folder: api.read.token reads status and this page, api.write.token also decides and reports, api.token does all except backups. None of them reads a reward back.")
	p.item("The peer's key is identity.key in the folder, unencrypted. With it someone can speak for this site. peerd network rotate replaces it.")
	p.item("People with access to the machine: %s", blank)
	p.title("Risks and measures")
	for _, x := range [][2]string{
		{"someone infers a user's record from what is sent", "noise, by the promise above; the ledger shows every release, and peerd ledger verify checks it"},
		{"a user has more records than the promise covers", fmt.Sprintf("subjects are counted, up to %d (privacy.records_per_user)", s.Privacy.RecordsPerUser)},
		{"a restored backup pays for the same release twice", "neighbours remember the ledger; the peer releases nothing until they confirm it"},
		{"another site lies or attacks", "it cannot make this peer release more; it can make it learn worse"},
		{"someone reads the machine or a backup", "outside of the promise; measures of the site: " + blank},
	} {
		p.item("%s: %s.", upper(x[0]), x[1])
	}
	p.title("To be filled in by the site")
	for _, x := range []string{
		"Controller and contact", "Data protection officer", "Purpose", "Legal basis", "Sites or machines in other countries", "Kinds of users, and special categories of data among features, rewards and ids",
		"Why the processing is necessary and proportionate, and why this ε", "Information for users, and how they object and use their other rights", "Views of users or their representatives (Article 35(9))",
		"Remaining risk, and decision", "Next review, date, name and signature",
	} {
		p.item("%s: ____________________", x)
	}
}

// upper begins a text with a capital letter.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
