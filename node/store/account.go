// Package store is what survives a crash.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"peerd.dev/dp"
)

// ErrSpent is returned where an earlier run has charged the budget already.
var ErrSpent = errors.New("the privacy budget of this directory was charged by an earlier run")

const accountFile = "account.jsonl"

// Account is the privacy account of one directory: a line of JSON a charge,
// synced before Append returns. The budget is for the node's life and a restarted
// node has forgotten what it released, so a directory is opened once.
type Account struct{ f *os.File }

// entry is a charge as it stands in the file. Costs are in nano-ε.
type entry struct {
	Version int    `json:"version"`
	What    string `json:"what"`
	Stream  uint32 `json:"stream"`
	Streams int    `json:"streams"`
	NanoEps uint64 `json:"nano_epsilon"`
	Leaves  uint64 `json:"leaves"`
	Scale   uint64 `json:"noise_scale"` // Laplace, in units of 2^-20
}

// OpenAccount opens the account of a directory that no run has charged yet. The
// error is [ErrSpent] if one has.
func OpenAccount(dir string) (*Account, error) {
	name := filepath.Join(dir, accountFile)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("account: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		err = fmt.Errorf("%s: %w", name, ErrSpent)
	}
	if err == nil {
		err = syncDir(dir) // so that the file is found again after a power cut
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Account{f}, nil
}

// Append writes the charges and returns once they are on the disk.
func (a *Account) Append(cs ...dp.Charge) error {
	var b []byte
	for _, c := range cs {
		line, err := json.Marshal(entry{1, c.What, uint32(c.Stream), c.Streams, uint64(c.Cost), c.Leaves, c.Scale})
		if err != nil {
			return err
		}
		b = append(append(b, line...), '\n')
	}
	if _, err := a.f.Write(b); err != nil {
		return err
	}
	return a.f.Sync()
}

// Close closes the account.
func (a *Account) Close() error { return a.f.Close() }

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
