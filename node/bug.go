//go:build !auditbug

package node

import "peerd.dev/bandit"

// As in package dp: faults for `peerd audit` to find, compiled in only with the tag auditbug.

func (*Agent) bugBelief(b *bandit.Belief) *bandit.Belief { return b }

func (*Agent) bugSilent() bool { return false }

func (*Agent) bugObserved(Route, bandit.Pull) {}
