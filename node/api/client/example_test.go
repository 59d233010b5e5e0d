package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"peerd.dev/node/api/client"
)

// Example serves one patient and reports the outcome.
func Example() {
	// A peer for this example only; a program writes Dir: "hospital-a" instead.
	answers := map[string]string{
		"/v1/decisions": `{"id":"visit-8812","action":"fast-track","propensity":1,"source":"learned","counted":true}`,
		"/v1/rewards":   `{"id":"visit-8812","duplicate":false,"counted":true}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, answers[r.URL.Path])
	}))
	defer server.Close()

	peer, err := client.New(client.Options{URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	defer peer.Close()
	ctx := context.Background()
	d, err := peer.DecideOr(ctx, client.Ask{ID: "visit-8812", Subject: "patient-17"}, "usual-care")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Action)
	if d.ID == "" {
		return // nothing is learned from a fallback
	}
	receipt, err := peer.Reward(ctx, d.ID, 1)
	switch {
	case errors.Is(err, client.ErrExpired):
		fmt.Println("too late")
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println("counted:", receipt.Counted)
	}

	// Output:
	// fast-track
	// counted: true
}
