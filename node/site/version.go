package site

import (
	"cmp"

	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

// The first byte of every stored value is the version of its kind. All were 1 in releases
// that wrote some of them with encoding/gob.
const (
	logVersion      = 6 // of log records; 5 did not have kept rounds of simulated worlds, and 4 choices of the learner that others replaced
	choiceVersion   = 7 // of decisions; 6 had no kept ones, and 5 not what applications took, and reports in parts
	lateVersion     = 1 // of notes of late reports
	offeredVersion  = 1 // of what decisions could choose from
	outboxVersion   = 3
	lifeVersion     = 2
	snapshotVersion = 4 // 3 had how many decisions waited at once, 2 and 4 have not
	pinnedVersion   = 2
	insideVersion   = 1 // of the saved half
)

// Errors about what is stored; see [form].
var (
	ErrDamaged = form.ErrDamaged
	ErrOlder   = form.ErrOlder
)

// CheckNewer refuses a store in which a later release has written. What cannot be read is found by those who need it.
func CheckNewer(st *store.Store) error {
	life, _ := st.Get(store.Meta, []byte(lifeKey))
	snap, _ := st.Get(store.Snapshot, nil)
	step, _, _ := st.Last(store.Log)
	return cmp.Or(form.Newer("life", life, lifeVersion), form.Newer("snapshot", snap, snapshotVersion), form.Newer("log record", step.Value, logVersion))
}

// Keys of the table of single values.
const (
	lifeKey     = "life"
	pinnedKey   = "pinned"
	settingsKey = "settings"
	syncKey     = "sync" // written only to wait for the disk
)

// membershipKey is the key of the document of the membership with which the snapshot and the log
// after it were made; absent if memberships have none.
const membershipKey = "membership"

// confirmedKey is the key of the confirmed snapshot in the table of snapshots.
const confirmedKey = "confirmed"
