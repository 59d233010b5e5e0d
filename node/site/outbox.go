package site

import (
	"context"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// queue passes a step to the sender. It is called with the lock held, so that steps are queued in
// order; so the sender never takes that lock.
func (s *Site) queue(x sending) { s.sends <- x }

// send waits until every step is durable, then sends its messages, so that a crash never undoes a
// message that was sent. It sends the bytes that the store holds, since a message keeps the bytes
// in which it was stored; so a message that is sent again after a restart has the same bytes.
func (s *Site) send(ctx context.Context, to Transport) error {
	for x := range s.sends {
		if err := s.sendOne(ctx, to, x); err != nil {
			return err
		}
	}
	return nil
}

func (s *Site) sendOne(ctx context.Context, to Transport, x sending) error {
	if err := x.pending.Wait(); err != nil {
		return err
	}
	s.show(x.status)
	if len(x.messages) == 0 {
		return nil
	}
	if wait := time.Until(x.at); 0 < wait && wait <= s.offset() {
		time.Sleep(wait)
	}
	failpoint("send")
	return s.post(ctx, to, x.step, x.checkpoint, x.messages)
}

// post sends the messages of a step, unless a peer has reported in the meantime that this folder
// is an old copy.
func (s *Site) post(ctx context.Context, to Transport, step uint64, checkpoint protocol.Checkpoint, es []protocol.Envelope) error {
	if s.standing.Silent() {
		return nil
	}
	to.Advance(checkpoint)
	if err := to.Send(ctx, es); err != nil {
		if s.standing.Silent() { // the network was left in the meantime
			return nil
		}
		return err
	}
	s.sentMu.Lock()
	defer s.sentMu.Unlock()
	s.sent = append(s.sent, step)
	return nil
}

// sweep removes messages that were sent.
func (s *Site) sweep(b *store.Batch) {
	s.sentMu.Lock()
	defer s.sentMu.Unlock()
	for _, step := range s.sent {
		b.Delete(store.Outbox, store.Number(step))
	}
	s.sent = s.sent[:0]
}

// resend sends what was in the outbox when the peer stopped.
func (s *Site) resend(ctx context.Context, to Transport) error {
	checkpoint := s.durable.Load().ledger // nothing else was released since the start
	for e, err := range s.store.Scan(store.Outbox, nil, nil) {
		if err != nil {
			return err
		}
		es, err := parseOutbox(e.Value)
		if err != nil {
			return err
		}
		if err := s.post(ctx, to, store.ReadNumber(e.Key), checkpoint, es); err != nil {
			return err
		}
	}
	return nil
}

// outbox returns envelopes in the form in which they are stored, and makes each message keep its
// bytes.
func outbox(es []protocol.Envelope) []byte {
	return state.Save(outboxVersion, func(v *state.Visitor) {
		for i := range es {
			envelope(v, &es[i])
		}
	})
}

func parseOutbox(b []byte) (es []protocol.Envelope, err error) {
	err = form.Decode("outbox", b, outboxVersion, outboxVersion, func(v *state.Visitor) {
		for v.More() {
			var e protocol.Envelope
			envelope(v, &e)
			es = append(es, e)
		}
	})
	return es, err
}

func envelope(v *state.Visitor, e *protocol.Envelope) {
	state.Number(v, &e.To)
	message(v, &e.Message)
}

// message visits a message by its frame, which a message that is saved keeps.
func message(v *state.Visitor, m *protocol.Message) {
	if !v.Loading() {
		frame := m.Frame()
		v.String(&frame)
		return
	}
	var frame []byte
	if v.Bytes(&frame); v.OK() {
		var err error
		if *m, err = protocol.Decode(vouch.For(frame)); err != nil {
			v.Fail("%w", err)
		}
	}
}

// show makes d, which is durable, the reported status, unless d is nil or older than that.
// Batches become durable in order, but the goroutines that wait for them may wake up in another
// order.
func (s *Site) show(d *durableStatus) {
	for d != nil {
		old := s.durable.Load()
		if old.step > d.step || s.durable.CompareAndSwap(old, d) {
			return
		}
	}
}
