// Command killed is an application that decides all the time while its peer is killed and started again, and writes what
// it did: `killed DIR NAME SECONDS` with the peer's folder and the beginning of the names of its files. application.py and
// application.mjs do the same, and scripts/killed/run.bash compares.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"time"

	"peerd.dev/node/api/client"
)

// A row is what the application did with a decision.
type row struct {
	ID         string  `json:"id"`
	Action     string  `json:"action"`
	Propensity float64 `json:"propensity"`
	Source     string  `json:"source"`
	Value      float64 `json:"value"` // of its reward; below 0 for none
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: killed DIR NAME SECONDS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "killed:", err)
		os.Exit(1)
	}
}

func run(dir, name, seconds string) error {
	length, err := strconv.Atoi(seconds)
	if err != nil {
		return err
	}
	peer, err := client.New(client.Options{
		Dir: dir, TableFile: name + ".table", TableEvery: time.Second, Timeout: 200 * time.Millisecond, Deadline: 300 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	log, err := os.OpenFile(name+".did", os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err = again(ctx, peer, name+".did"); err != nil {
		return err
	}
	for end := time.Now().Add(time.Duration(length) * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var d client.Decision
		d, err = peer.Decide(ctx, client.Ask{Subject: rand.Text()})
		if errors.Is(err, client.ErrUnreachable) {
			continue // there is no table yet
		}
		if err != nil {
			return err
		}
		r := row{d.ID, d.Action, d.Propensity, d.Source, value(d.ID)}
		var text []byte
		if text, err = json.Marshal(r); err != nil {
			return err
		}
		if _, err = log.Write(append(text, '\n')); err != nil {
			return err
		}
		if r.Value >= 0 {
			if _, err = peer.Reward(ctx, r.ID, r.Value); err != nil && !errors.Is(err, client.ErrConflict) { // a kill cut off the peer's own decision
				return err
			}
		}
	}
	left := peer.Close()
	state, err := json.Marshal(peer.Table())
	fmt.Println("left", len(left), string(state))
	return err
}

// value is the reward of a decision: a third gets none.
func value(id string) float64 {
	return float64(crc32.ChecksumIEEE([]byte(id))%3) - 1
}

// again reports the last reward again: the application may have been killed before it was reported.
func again(ctx context.Context, peer *client.Client, file string) error {
	text, err := os.ReadFile(file)
	rows := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var r row
	if err != nil || json.Unmarshal(rows[len(rows)-1], &r) != nil || r.Value < 0 {
		return err
	}
	if _, err = peer.Reward(ctx, r.ID, r.Value); errors.Is(err, client.ErrConflict) {
		return nil
	}
	return err
}
