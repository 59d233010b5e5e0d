package client

import (
	"bytes"
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// mostDropped is the number of refused decisions that are remembered.
const mostDropped = 1000

// Waiting is a decision that was drawn from a table, or one of the peer's, and rewards that the peer has not taken.
type Waiting struct {
	ID         string
	Ask        *Ask // what draws it again; nil if the peer made it
	Action     string
	Propensity float64
	Taken      bool              // the peer has the decision
	Rewards    []json.RawMessage // as they are sent
}

// A backlog holds decisions and rewards until the peer has taken or refused them, and the newest table. With a file a line for
// each is on disk before the application goes on; all states follow from lines.
type backlog struct {
	path  string
	bound int

	mu      sync.Mutex
	table   *Table
	waiting map[string]*list.Element
	order   list.List // of *Waiting, the oldest first
	dropped map[string]int64
	gone    []string // ids of dropped, the oldest first
	rewards int
	file    *os.File
	size    int64
	lines   int
}

// drawn is a line of a decision.
type drawn struct {
	Ask        Ask     `json:"ask"`
	Action     string  `json:"action"`
	Propensity float64 `json:"propensity"`
}

// refusal is a line of a decision that the peer refused.
type refusal struct {
	ID     string `json:"id"`
	Status int64  `json:"status"`
}

func newBacklog(path string, bound int) (*backlog, error) {
	b := &backlog{path: path, bound: bound, waiting: make(map[string]*list.Element), dropped: make(map[string]int64)}
	if path == "" {
		return b, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := bytes.Split(text, []byte("\n"))
	for i, text := range whole[:len(whole)-1] { // the application did not go on from a torn line, the last
		var line map[string]json.RawMessage
		if err = json.Unmarshal(text, &line); err == nil && len(line) != 1 {
			err = errors.New("want one kind")
		}
		for kind, value := range line { // one
			err = errors.Join(err, b.apply(kind, value))
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: not of a client's file: %w", path, i+1, err)
		}
	}
	return b, b.compact()
}

// add applies a line. Only a line that must be on disk first, and is not, is an error: what others say is found out again
// after a restart. The caller holds the lock.
func (b *backlog) add(kind string, value any, durable bool) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err = b.write(kind, text, durable); err != nil && durable {
		return err
	}
	if err = b.apply(kind, text); err != nil {
		return err
	}
	if b.file != nil && b.lines > 1000+4*(b.order.Len()+b.rewards+len(b.dropped)) {
		b.lines = 0
		_ = b.compact() // the longer file is right, too
	}
	return nil
}

// write writes a line, or leaves the file as it was.
func (b *backlog) write(kind string, value []byte, durable bool) error {
	if b.file == nil {
		return nil
	}
	text := line(kind, value)
	_, err := b.file.Write(text)
	if err == nil && durable {
		err = b.file.Sync()
	}
	if err != nil {
		return errors.Join(err, b.file.Truncate(b.size))
	}
	b.size += int64(len(text))
	b.lines++
	return nil
}

func line(kind string, value []byte) []byte {
	return fmt.Appendf(nil, "{%q:%s}\n", kind, value)
}

func (b *backlog) apply(kind string, value []byte) error {
	switch kind {
	case "table":
		b.table = nil
		return json.Unmarshal(value, &b.table)
	case "drawn":
		var d drawn
		if err := json.Unmarshal(value, &d); err != nil {
			return err
		}
		b.waiting[d.Ask.ID] = b.order.PushBack(&Waiting{ID: d.Ask.ID, Ask: &d.Ask, Action: d.Action, Propensity: d.Propensity})
		delete(b.dropped, d.Ask.ID)
		return nil
	case "reward":
		var r Reward
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		w := b.find(r.ID)
		if w == nil {
			w = &Waiting{ID: r.ID, Taken: true}
			b.waiting[r.ID] = b.order.PushBack(w)
		}
		w.Rewards = append(w.Rewards, value)
		b.rewards++
		return nil
	case "dropped":
		var r refusal
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		b.remove(b.find(r.ID))
		if _, known := b.dropped[r.ID]; !known {
			b.gone = append(b.gone, r.ID)
		}
		b.dropped[r.ID] = r.Status
		if len(b.gone) > mostDropped {
			delete(b.dropped, b.gone[0])
			b.gone = b.gone[1:]
		}
		return nil
	}
	var id string
	if err := json.Unmarshal(value, &id); err != nil {
		return err
	}
	w := b.find(id)
	switch {
	case kind == "asked":
		delete(b.dropped, id)
	case kind != "taken" && kind != "rewarded":
		return fmt.Errorf("a line of kind %q", kind)
	case w == nil:
	case kind == "taken":
		w.Taken = true
		if len(w.Rewards) == 0 {
			b.remove(w)
		}
	default:
		w.Rewards = w.Rewards[1:]
		b.rewards--
		if len(w.Rewards) == 0 {
			b.remove(w)
		}
	}
	return nil
}

func (b *backlog) find(id string) *Waiting {
	if e := b.waiting[id]; e != nil {
		return e.Value.(*Waiting)
	}
	return nil
}

func (b *backlog) remove(w *Waiting) {
	if w == nil {
		return
	}
	b.order.Remove(b.waiting[w.ID])
	delete(b.waiting, w.ID)
	b.rewards -= len(w.Rewards)
}

// all returns what waits, the oldest first.
func (b *backlog) all() (all []Waiting) {
	for e := b.order.Front(); e != nil; e = e.Next() {
		all = append(all, *e.Value.(*Waiting))
	}
	return all
}

// decisions returns the n oldest decisions that the peer does not have.
func (b *backlog) decisions(n int) (asks []Ask) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := b.order.Front(); e != nil && len(asks) < n; e = e.Next() {
		if w := e.Value.(*Waiting); !w.Taken {
			asks = append(asks, *w.Ask)
		}
	}
	return asks
}

// oldestRewards returns the n oldest rewards, one for each decision that the peer has, with the decisions' ids.
func (b *backlog) oldestRewards(n int) (ids []string, rewards []json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := b.order.Front(); e != nil && len(ids) < n; e = e.Next() {
		if w := e.Value.(*Waiting); w.Taken && len(w.Rewards) > 0 {
			ids, rewards = append(ids, w.ID), append(rewards, w.Rewards[0])
		}
	}
	return ids, rewards
}

// compact writes the file with the lines that the present state needs.
func (b *backlog) compact() (err error) {
	var text bytes.Buffer
	lines := 0
	put := func(kind string, value any) {
		var one []byte
		if one, err = json.Marshal(value); err == nil {
			text.Write(line(kind, one))
			lines++
		}
	}
	if b.table != nil {
		put("table", b.table)
	}
	for _, id := range b.gone {
		if status, still := b.dropped[id]; still {
			put("dropped", refusal{id, status})
		}
	}
	for _, w := range b.all() {
		if w.Ask != nil {
			put("drawn", drawn{*w.Ask, w.Action, w.Propensity})
		}
		for _, r := range w.Rewards {
			put("reward", r)
		}
		if w.Ask != nil && w.Taken {
			put("taken", w.ID)
		}
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(b.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(f.Name(), b.path)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if b.file != nil {
		_ = b.file.Close()
	}
	b.file, b.size, b.lines = f, int64(text.Len()), lines
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(filepath.Dir(b.path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close()) // or the name is not durable
}

func (b *backlog) close() {
	if b.file != nil {
		_ = b.file.Close()
		b.file = nil
	}
}
