// Package peer runs a peer inside a Go program, in place of the command peerd run.
//
// # Making a folder
//
// A peer lives in a folder: its key, its configuration and its store. [Init] makes one, once, as
// peerd init does, and returns the peer's id:
//
//	id, err := peer.Init("hospital-a", peer.Set("arms", "[red, green]"), peer.Set("privacy.epsilon", "1"))
//
// The network file network.yaml, the same at all peers, names every peer by its id and has to be in
// the folder; docs/network.md describes it.
//
// # Running
//
// [Open] opens the folder, and [Peer.Run] runs the peer until a context ends:
//
//	p, err := peer.Open("hospital-a")
//	if err != nil {
//		return err
//	}
//	running := make(chan error, 1)
//	go func() { running <- p.Run(ctx) }()
//
//	…
//
//	stop() // ends ctx
//	return errors.Join(<-running, p.Close())
//
// Run also serves the API on the folder's socket, so peerd status works while the program runs. It
// sets the garbage collector's target of the process (unless GOGC is set), and reports to systemd
// if the process is a service of it.
//
// # Deciding
//
// The loop of an application asks for an action, acts, and reports the reward, from 0 to 1:
//
//	d, err := p.Decide(ctx, decision.Ask{Subject: user})
//	if err != nil {
//		return err
//	}
//	value := act(d.Action)
//	_, err = p.Reward(ctx, decision.Report{ID: d.ID, Value: value})
//
// Both return after their answer is on disk, with the same promises as the API (docs/api.md). Many
// goroutines may call them at once, and then share writes to the disk. An ask with an id of the
// program's own can be repeated after a crash: the answer is the same.
//
// # Algorithms of one's own
//
// [Learner] and [Protocol] add algorithms of other Go modules, which the settings then choose by name:
//
//	own := []peer.Option{peer.Learner(greedy{}), peer.Set("learner.name", "greedy")}
//	p, err := peer.Open("hospital-a", own...)
//
// No number of the program becomes a release: what would make one does not compile. But a learner is shown the rewards
// of its site when it describes them, and shares the memory of the program with the protocol. That writes the labels of
// messages and decides when they are sent. The learner must keep none of the rewards. A test of the program should call
// audit.Agent of package peerd.dev/node/lab/audit, which finds messages and choices that follow from rewards;
// docs/embedding.md says what it does not find.
//
// The program holds rewards of people: what it logs and stores of them is outside of the peer's
// privacy promise. It should run with umask 077 and GOTRACEBACK=none, as peerd run does, because
// arguments on a stack can include a reward.
package peer
