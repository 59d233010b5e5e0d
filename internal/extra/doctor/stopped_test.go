package doctor

import (
	"strings"
	"testing"

	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
)

// TestDoctorNamesAStoppedSite: a peer whose estimates rest on a site that is not heard gets a warning, with what to do.
func TestDoctorNamesAStoppedSite(t *testing.T) {
	const notice = "a third of the estimates rests on 4 rewards of site-3, last heard 5 days ago"
	d := doctor{status: api.Status{StoppedNotice: notice, Stopped: []api.Stopped{{Name: "site-3"}}}}
	d.life()
	if f := d.found[len(d.found)-1]; f.Check != "stopped sites" || f.Result != Warn || f.Detail != notice || !strings.Contains(f.Remedy, "start site-3 again") {
		t.Errorf("%+v", f)
	}
	d = doctor{}
	if d.life(); len(d.found) != 1 {
		t.Errorf("%+v", d.found)
	}
}

// TestDoctorNamesADocumentThatCannotChange.
func TestDoctorNamesADocumentThatCannotChange(t *testing.T) {
	const notice = "the network cannot change: 2 of 3 signers have to sign"
	d := doctor{status: api.Status{DocumentNotice: notice}, deployment: &daemon.Deployment{Record: new(daemon.Record)}}
	d.life()
	if f := d.found[len(d.found)-1]; f.Check != "document" || f.Result != Warn || f.Detail != notice || !strings.Contains(f.Remedy, "#signers") {
		t.Errorf("%+v", f)
	}
}
