// Package metrics is the extra that counts what a peer does, for Prometheus.
package metrics

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"peerd.dev/internal/daemon"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/api"
)

func init() {
	api.Measure(vouch.For[api.Meter](newMetrics))
	daemon.NewStoreMetrics = storeMetrics
}

// storeMetrics returns what observes the commits of a store, and metrics of it.
func storeMetrics(memory func() uint64) (observe func(d time.Duration), collectors []any) {
	commits := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "peerd_store_commit_seconds", Help: "Time until what was written is durable.",
		Buckets: prometheus.ExponentialBuckets(100e-6, 2, 14),
	})
	return func(d time.Duration) { commits.Observe(d.Seconds()) }, []any{commits, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "peerd_store_memory_bytes", Help: "Memory of the store: writes that are in no table yet, and blocks of tables.",
	}, func() float64 { return float64(memory()) })}
}

const scrapeTimeout = 2 * time.Second // for the backend

// metrics count requests and repeat the status without its estimates. No metric is computed from
// rewards, not even from noised ones, and none counts reports of rewards: if only good outcomes
// are reported, their number is the sum of the rewards.
type metrics struct {
	hiddenCounts bool
	requests     *prometheus.CounterVec
	decisions    *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	http.Handler
}

// The prefixes of the patterns of the routes that make decisions, and of those that report rewards.
const (
	decisions = "POST /v1/decisions"
	reports   = "POST /v1/rewards"
)

func newMetrics(c api.Config, panicked func(any)) api.Metrics {
	m := &metrics{
		hiddenCounts: c.HiddenCounts,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "peerd_api_requests_total", Help: "Requests by route and status, except reports of rewards.",
		}, []string{"route", "code"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "peerd_api_decisions_total", Help: "Decisions, single and of batches, by status.",
		}, []string{"code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "peerd_api_request_seconds", Help: "Time from a request to its answer, by route, except reports of rewards.",
			Buckets: []float64{1e-4, 2.5e-4, 5e-4, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "peerd_build_info", Help: "1, with the version.", ConstLabels: prometheus.Labels{"version": c.Version},
	})
	info.Set(1)
	every := prometheus.NewGauge(prometheus.GaugeOpts{Name: "peerd_round_seconds", Help: "Length of a round."})
	every.Set(c.Every.Seconds())
	r := prometheus.NewRegistry()
	r.MustRegister(m.requests, m.decisions, m.seconds, info, every, &peerCollector{c.Backend, panicked},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, x := range c.Collectors {
		r.MustRegister(x.(prometheus.Collector)) // of storeMetrics
	}
	m.Handler = promhttp.HandlerFor(r, promhttp.HandlerOpts{DisableCompression: true})
	return m
}

// Observe implements [api.Metrics].
func (m *metrics) Observe(route string, status int, took time.Duration) {
	switch {
	case route == "":
		route = "none"
	case m.hides(route):
		return
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// hides reports whether requests of a route are not counted.
func (m *metrics) hides(route string) bool {
	return strings.HasPrefix(route, reports) || m.hiddenCounts && strings.HasPrefix(route, decisions)
}

// Item implements [api.Metrics].
func (m *metrics) Item(route string, status int) {
	if !m.hides(route) {
		m.decisions.WithLabelValues(strconv.Itoa(status)).Inc()
	}
}

// peerCollector asks the backend at every scrape.
type peerCollector struct {
	backend  api.Backend
	panicked func(any)
}

// Describe describes nothing, since the metrics depend on the backend's answer.
func (*peerCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (p *peerCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	defer func() { // in a goroutine of the registry, where it would end the process
		if v := recover(); v != nil {
			p.panicked(v)
		}
	}()
	send := func(kind prometheus.ValueType, name, help string, v float64) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("peerd_"+name, help, nil, nil), kind, v)
	}
	gauge := func(name, help string, v float64) { send(prometheus.GaugeValue, name, help, v) }
	count := func(name, help string, v uint64) { send(prometheus.CounterValue, name, help, float64(v)) }

	gauge("ready", "1 if /readyz answers 200.", number(p.backend.Ready(ctx) == nil))
	s, err := p.backend.Status(ctx)
	gauge("status_known", "1 if the state of the peer could be read; if it is 0, the metrics made from it are missing.", number(err == nil))
	if err != nil {
		return
	}
	count("rounds_total", "Rounds played.", s.Round)
	gauge("rounds_planned", "Rounds to play.", float64(s.Rounds))
	count("rounds_skipped_total", "Rounds that passed without the peer: it was busy, down or blocked.", s.Skipped)
	count("releases_total", "Releases drawn.", s.Released)
	gauge("epsilon_spent", "Privacy budget charged.", s.Spent)
	gauge("epsilon_left", "Privacy budget left.", s.Left)
	gauge("releases_held", "1 while nothing is released; the status has the reason.", number(s.BlockedReason != ""))
	gauge("alone", "1 while the peer goes on without one that its protocol needs, such as a coordinator; the status has the reason.", number(s.AloneReason != ""))
	count("received_bytes_total", "Bytes from other peers.", s.BytesIn)
	count("sent_bytes_total", "Bytes to other peers.", s.BytesOut)
	count("dropped_messages_total", "Outgoing messages dropped.", s.Dropped)
	count("refused_messages_total", "Messages, streams and exchanges refused because another peer broke the protocol.", s.Refused)
	count("flooded_messages_total", "Messages dropped because their sender sent too many.", s.Flooded)
	count("limited_connections_total", "Connections refused before the peer was known: too many at once or in a second, from one address or from all.", s.Limited)
	count("refused_strangers_total", "Connections refused because their peer is not in the network file.", s.Strangers)
	count("refused_clones_total", "Connections refused because they were made with this peer's own key, and peers of whose ledger two histories are signed.", s.Clones)
	gauge("decisions_pending", "Decisions that wait for their reward.", float64(s.Pending))
	gauge("ledger_records", "Records of the ledger.", float64(s.LedgerRecords))
	gauge("confirmed_round", "Round to which a recovery would go back: the last one whose ledger half of the neighbours remember.", float64(s.Confirmed))
	gauge("incarnation", "Number of this life of the peer; a restart keeps it.", float64(s.Incarnation))
	gauge("learning", "1 while rewards are learned from: the network has started, and the charged budget has not ended.", number(s.Learning == "learning" || s.Learning == "ending"))
	gauge("remaining_leaves", "Leaves that the charged budget still pays for, of the stream with fewest.", float64(s.Remaining))
	if !s.Until.IsZero() {
		gauge("learning_until_timestamp_seconds", "About when learning ends.", float64(s.Until.Unix()))
	}
	if s.ClockAhead != nil {
		gauge("clock_ahead_seconds", "By how much at least this peer's clock is ahead of the median of other peers' clocks.", *s.ClockAhead)
	}
	gauge("stopped_sites", "Other sites behind the estimates that have not been heard for an hour; stopped_notice of the status says what part of the estimates rests on them.", float64(len(s.Stopped)))
	gauge("document_notice", "1 while the network's document is split, cannot change while signers are not heard, or waits for this peer; document_notice of the status says which.", number(s.DocumentNotice != ""))
	gauge("disk_full", "1 while the disk is full and decisions and rewards are refused.", number(s.DiskFull))
	if s.Pulls != nil {
		p.pulls(ctx, to)
	}

	peers, err := p.backend.Peers(ctx)
	if err != nil {
		return
	}
	var up, neighbours int
	var in, out uint64
	for _, o := range peers {
		if o.Neighbour {
			neighbours++
			up += int(number(o.State == "up"))
			neighbour(to, &o)
		}
		in += o.FramesIn
		out += o.FramesOut
	}
	gauge("neighbours", "Neighbours in the network file.", float64(neighbours))
	gauge("neighbours_up", "Neighbours whose link works.", float64(up))
	count("received_messages_total", "Messages from neighbours.", in)
	count("sent_messages_total", "Messages to neighbours.", out)
}

// pulls sends how often each action was chosen, where that is public.
func (p *peerCollector) pulls(ctx context.Context, to chan<- prometheus.Metric) {
	arms, err := p.backend.Arms(ctx)
	if err != nil {
		return
	}
	about := prometheus.NewDesc("peerd_pulls_total", "Choices of each action, where they are public: not with noised counts, and not by features.", []string{"action"}, nil)
	for _, a := range arms {
		to <- prometheus.MustNewConstMetric(about, prometheus.CounterValue, float64(a.Pulls), a.Name)
	}
}

// neighbour sends the metrics of one neighbour.
func neighbour(to chan<- prometheus.Metric, o *api.Peer) {
	gauge := func(name, help string, v float64) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("peerd_neighbour_"+name, help, []string{"neighbour"}, nil), prometheus.GaugeValue, v, o.Name)
	}
	gauge("up", "1 while the link to the neighbour works.", number(o.State == "up"))
	if rtt, err := time.ParseDuration(o.RTT); err == nil {
		gauge("rtt_seconds", "Round-trip time of the newest exchange of hellos.", rtt.Seconds())
	}
	if !o.LastSeen.IsZero() {
		gauge("last_seen_timestamp_seconds", "Newest sign of life of the neighbour.", float64(o.LastSeen.UnixNano())/1e9)
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
