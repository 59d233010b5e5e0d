package client

import (
	"bytes"
	"cmp"
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
	lock    *os.File // held with file; nil where there is none
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

// newBacklog returns the backlog of a file, which no other client may use, and what is wrong with the file.
func newBacklog(path string, bound int) (b *backlog, problem string, err error) {
	b = &backlog{path: path, bound: bound, waiting: make(map[string]*list.Element), dropped: make(map[string]int64)}
	if path == "" {
		return b, "", nil
	}
	if b.lock, err = lock(path); err == nil {
		problem, err = b.open()
	}
	if err != nil {
		b.close()
	}
	return b, problem, err
}

// open reads the whole lines of the file. If some are damaged, the file as it was is kept under another name. A file that cannot be
// written again goes on as it is.
func (b *backlog) open() (problem string, err error) {
	text, err := os.ReadFile(b.path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return "", err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1] // the application did not go on from a torn line
	n := 0
	for line := range bytes.Lines(whole) {
		n++
		if wrong := b.read(line); wrong != nil && problem == "" {
			problem = fmt.Sprintf("%s, line %d: not of a client's file: %v", b.path, n, wrong)
		}
	}
	if problem != "" {
		problem += b.setAside()
	}
	if err = b.compact(); err != nil && !fresh {
		problem = strings.TrimSuffix(fmt.Sprintf("%s: %v; the file goes on as it is; %s", b.path, err, problem), "; ")
		if err = nil; b.file == nil {
			b.file, err = os.OpenFile(b.path, os.O_WRONLY|os.O_APPEND, 0)
			b.size = int64(len(whole))
			err = errors.Join(err, b.file.Truncate(b.size))
		}
	}
	return problem, err
}

// read applies a line of the file.
func (b *backlog) read(text []byte) error {
	var line map[string]json.RawMessage
	err := json.Unmarshal(text, &line)
	for kind, value := range line {
		if err == nil && len(line) == 1 {
			return b.apply(kind, value)
		}
	}
	return cmp.Or(err, errors.New("want one kind"))
}

// setAside keeps a damaged file, and says where.
func (b *backlog) setAside() string {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", b.path, n)
		if err := os.Link(b.path, aside); err == nil {
			return "; what could be read is kept, and the file as it was is " + aside
		} else if !errors.Is(err, fs.ErrExist) {
			return "; what could be read is kept"
		}
	}
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

// parse reads the value of a line.
func parse[T any](value []byte, right func(*T) bool) (v T, err error) {
	if err = json.Unmarshal(value, &v); err == nil && !right(&v) {
		err = errors.New("a field is wrong")
	}
	return v, err
}

func (b *backlog) apply(kind string, value []byte) error {
	switch kind {
	case "table":
		t, err := parse(value, func(t **Table) bool { return *t == nil || (*t).check() == nil })
		if err == nil {
			b.table = t
		}
		return err
	case "drawn":
		d, err := parse(value, func(d *drawn) bool {
			return d.Ask.ID != "" && d.Ask.Table != "" && d.Action != "" && d.Propensity > 0 && d.Propensity <= 1
		})
		if err != nil {
			return err
		}
		b.remove(b.find(d.Ask.ID))
		b.waiting[d.Ask.ID] = b.order.PushBack(&Waiting{ID: d.Ask.ID, Ask: &d.Ask, Action: d.Action, Propensity: d.Propensity})
		delete(b.dropped, d.Ask.ID)
		return nil
	case "reward":
		r, err := parse(value, func(r *Reward) bool { return r.ID != "" })
		if err != nil {
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
		r, err := parse(value, func(r *refusal) bool { return r.ID != "" && r.Status != 0 })
		if err != nil {
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
	id, err := parse(value, func(id *string) bool { return *id != "" })
	if err != nil {
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
	case len(w.Rewards) > 0:
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
	for _, f := range []*os.File{b.file, b.lock} {
		if f != nil {
			_ = f.Close()
		}
	}
	b.file, b.lock = nil, nil
}
