//go:build !auditbug

package site

// As in package dp: faults for tests to find, compiled in only with the tag auditbug.

func (*tx) bugReported(string, *choice) {}

func bugSending(*logRecord, *sending) {}

func bugAtOnce() bool { return false }

func bugGoesOn() bool { return false }
