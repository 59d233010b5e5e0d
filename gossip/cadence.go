package gossip

import "time"

// What a peer sends while nothing is learned: announcements, its own and those that it forwards, exchanges with one peer after the other, and
// keepalives. Their times depend on the size of the network and on nothing that a peer learns or does.

// presenceEvery returns the longest time between two announcements in a network of n peers. All announcements reach all peers, so the
// time grows with the network: what a peer forwards stays the same. It is bounded so that an hour, after which
// a peer counts as stopped, has two announcements at least.
func presenceEvery(n int) time.Duration {
	return min(max(4*time.Second, time.Duration(n)*3*time.Second), 25*time.Minute)
}

// TradeEvery returns the time between two exchanges of a peer that has nothing new with one of n others: of the network document, of what both
// remember, and of their clocks. In a network with more peers than a peer stays connected with, each exchange takes a connection of its own.
func TradeEvery(n int) time.Duration {
	if n > leastConns {
		return 20 * time.Second
	}
	return 10 * time.Second
}
