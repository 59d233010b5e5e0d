// Package protocoltest is a network on paper, for tests of protocols and of what drives them: peers
// with their curators, what is under way between them, and what a network does to it. Its peers are
// agents of package node, so leaves close as they do in a daemon.
//
// A [Network] is round-synchronous: what is sent in a round arrives at the start of the
// next one, in the order of [protocol.Sort]. Nothing runs by itself and everything follows
// from one seed.
package protocoltest
