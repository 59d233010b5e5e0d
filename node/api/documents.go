package api

import "time"

// Privacy is what a peer promises its users, by its configuration. It is the page of peerd privacy explain.
type Privacy struct {
	Private    bool      `json:"private" doc:"False in lockstep, which protects no one."`
	Epsilon    float64   `json:"epsilon" doc:"The promise for everything that the peer sends over its whole life; 0 without noise."`
	Delta      float64   `json:"delta"`
	Compared   string    `json:"compared" doc:"What is compared: which two histories of this site cannot be distinguished with certainty."`
	Public     []string  `json:"public" doc:"What is public, without noise."`
	NotCovered []string  `json:"not_covered" doc:"What the promise does not cover."`
	Heading    string    `json:"heading"`
	Sections   []Section `json:"sections" doc:"The page."`
}

// PageLink opens the page.
type PageLink struct {
	URL string `json:"url" doc:"It works once, within a minute. Without api.listen it is a path, for which peerd page answers."`
}

// Section is a part of a page.
type Section struct {
	Title  string  `json:"title"`
	Blocks []Block `json:"blocks"`
}

// Block is a paragraph, an item of a list, or a table.
type Block struct {
	Text  string     `json:"text,omitempty"`
	Item  bool       `json:"item,omitempty" doc:"The text is an item of a list."`
	Table [][]string `json:"table,omitempty" doc:"Rows, of which the first has the names of columns."`
}

// Network is a network as its document describes it.
type Network struct {
	Name    string     `json:"name"`
	Version uint64     `json:"version" doc:"Of the signed document; 0 for a file that is not signed."`
	Start   time.Time  `json:"start" doc:"Of round 0."`
	Every   float64    `json:"every" doc:"Length of a round in seconds."`
	Least   uint64     `json:"give_least,omitzero" doc:"Rewards that the network asks each member to have released; absent if it asks for nothing."`
	Actions []string   `json:"actions"`
	Retired []string   `json:"retired,omitempty" doc:"Actions that are not chosen any more."`
	Places  []Place    `json:"places" doc:"All peers, by index."`
	Links   [][]uint32 `json:"links" doc:"Pairs of neighbours, by index."`
}

// Place is a peer in a network's document.
type Place struct {
	Peer     uint32 `json:"peer" doc:"Its index, from 0."`
	Name     string `json:"name"`
	ID       string `json:"id"`
	Standing string `json:"standing,omitempty" doc:"Absent for a peer that is present."`
}
