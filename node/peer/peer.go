package peer

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/version"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
	"peerd.dev/protocol"
)

// A Peer is an open peer. All methods except Run and Close may be called concurrently, from
// [Open] to [Peer.Close].
type Peer struct {
	daemon *daemon.Daemon
}

// An Option changes how [Init] makes a folder and how [Open] opens it.
type Option func(*options)

type options struct {
	set  []string
	with config.Extension
	log  *slog.Logger
}

func apply(dir string, all []Option) (schema *config.Schema, o options) {
	o = options{log: slog.New(slog.DiscardHandler)}
	for _, set := range all {
		set(&o)
	}
	o.set = append(o.set, "dir="+dir)
	return config.Site().With(o.with), o
}

// Set gives a setting a value, written as in peerd.yaml, for example Set("privacy.epsilon", "1").
// It has precedence over the environment and the file. docs/configuration.md lists the settings.
func Set(key, value string) Option {
	return func(o *options) { o.set = append(o.set, key+"="+value) }
}

// Learner adds a learner to those that peerd has, by its parameters with their defaults. The setting
// learner.name chooses it by its name, and its parameters are the settings learner.<name>.<field>. All peers of
// a network need it. docs/hacking.md describes what a learner must do.
func Learner(p bandit.Params) Option {
	return func(o *options) { o.with.Learners = append(o.with.Learners, p) }
}

// Protocol adds a protocol in the same way.
func Protocol(p protocol.Params) Option {
	return func(o *options) { o.with.Protocols = append(o.with.Protocols, p) }
}

// Logger sets where the peer logs. Without it, the peer logs nothing. The setting log.level does
// not apply, because the logger's handler has a level of its own.
func Logger(l *slog.Logger) Option {
	return func(o *options) { o.log = l }
}

// Init makes a folder for a peer, as the command peerd init does: it creates dir, the peer's key
// and peerd.yaml with the settings of [Set], and recommendations for others. It returns the peer's
// id, by which networks name it.
//
// Init overwrites nothing: it fails if dir has a key or a peerd.yaml. It also fails if a setting
// has an unknown key or a wrong value. Required settings may be missing; [Open] refuses them.
func Init(dir string, opts ...Option) (id string, err error) {
	schema, o := apply(dir, opts)
	made, err := daemon.Init(schema, o.set, false)
	return made.ID, err
}

// Open opens the peer of a folder and locks the folder. Its settings come from the options, the
// environment, peerd.yaml in dir and defaults, in this order of precedence. The peer listens at
// once, and decides from then on; it learns and releases while [Peer.Run] runs.
//
// Open fails if the settings or the network file are refused, with one error that names every
// problem; if the folder is in use by another peer, or the network does not name this peer; and if
// the store is damaged or lacks what was acknowledged. Messages of errors say what to do.
func Open(dir string, opts ...Option) (*Peer, error) {
	schema, o := apply(dir, opts)
	file := filepath.Join(dir, config.FileName)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		file = ""
	}
	c, err := schema.Load(file, o.set)
	if err != nil {
		return nil, err
	}
	d, err := daemon.Open(c, daemon.Options{Version: version.Read().Version}, o.log)
	if err != nil {
		return nil, err
	}
	return &Peer{d}, nil
}

// Run runs the peer until ctx is done: rounds by the network's clock, messages to and from
// neighbours, and the API on the folder's socket and on api.listen. It returns nil when ctx ends
// it, and otherwise why the peer cannot go on, such as a failed disk. It is called at most once,
// and must have returned before [Peer.Close] is called.
func (p *Peer) Run(ctx context.Context) error { return p.daemon.Run(ctx) }

// Decide chooses an action. The decision is on disk when it is returned. Asking again with the
// same id returns the same decision. Decide copies what it keeps of the ask.
//
// The error is a [*decision.Refusal], which says which field is wrong, unless the peer is broken.
func (p *Peer) Decide(ctx context.Context, ask decision.Ask) (decision.Decision, error) {
	if r := ask.Check(); r != nil {
		return decision.Decision{}, r
	}
	ask.Features = copied(ask.Features)
	ask.Actions = slices.Clone(ask.Actions)
	for i := range ask.Actions {
		ask.Actions[i].Features = slices.Clone(ask.Actions[i].Features)
	}
	out := p.daemon.Decide(ctx, []decision.Ask{ask})[0]
	return out.Value, out.Err
}

// copied returns a copy of lists, nil for nil.
func copied(lists [][]float64) [][]float64 {
	all := slices.Clone(lists)
	for i := range all {
		all[i] = slices.Clone(all[i])
	}
	return all
}

// Reward reports the reward of a decision, from 0 to 1. It is on disk when its receipt is
// returned. Reporting the same value again changes nothing.
//
// The error is a [*decision.Refusal], for example with code [decision.Expired] after the
// decision's window, unless the peer is broken.
func (p *Peer) Reward(ctx context.Context, report decision.Report) (decision.Receipt, error) {
	if r := report.Check(); r != nil {
		return decision.Receipt{}, r
	}
	out := p.daemon.Reward(ctx, []decision.Report{report})[0]
	return out.Value, out.Err
}

// Status returns the state of the peer, which contains nothing private.
func (p *Peer) Status(ctx context.Context) (api.Status, error) { return p.daemon.Status(ctx) }

// Close ends the peer and unlocks its folder. It is called once, after Run has returned, if Run was
// called. It returns what went wrong when the store and the network were closed.
func (p *Peer) Close() error { return p.daemon.Close() }
