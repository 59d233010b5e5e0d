//go:build unix

package durabletest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/require"
	"peerd.dev/protocol"
)

// marked is the reward to search for.
const marked = 0.7310585

// TestAMarkedRewardIsFoundNowhere: an application reports one value again and again, among
// requests of all kinds, well formed and not, to a real peer with the most verbose log. Then
// everything that came out of the peer is searched for it.
func TestAMarkedRewardIsFoundNowhere(t *testing.T) {
	long := time.Second
	if os.Getenv("PEERD_LONG") != "" {
		long = 15 * time.Second
	}
	l := newLab(t, 2, "protocol.name", "average", "protocol.average.consistency", "max", "log.level", "debug", "api.window", "2s")
	wire := l.tap(1)
	s, rec := l.sites[0], l.sites[1].record()
	s.start(launch{})
	s.ready()

	var answers answers
	var all sync.WaitGroup
	stop := make(chan struct{})
	for i := range 8 {
		all.Go(func() { answers.chaos(s, i, stop) })
	}
	time.Sleep(long)
	for _, path := range []string{"/v1/status", "/v1/arms", "/v1/peers", "/v1/ledger?limit=10000", "/metrics", "/healthz", "/readyz", "/openapi.json", "/v1/nothing"} {
		code, text := s.get(path)
		answers.add(fmt.Sprintf("GET %s (%d)", path, code), text)
	}
	for _, c := range [][]string{{"status"}, {"peers"}, {"ledger", "show"}, {"ledger", "export", "-o", "-"}, {"doctor"}, {"config", "show"}} {
		_, out := s.peerd(c...)
		answers.add("peerd "+strings.Join(c, " "), out)
	}
	close(stop)
	all.Wait()
	s.kill() // a clean end would clean up the store
	answers.add("log", s.log())

	m := newMark(t, marked)
	sizes := make(map[string]int)
	for _, d := range answers.documents {
		sizes[d.what] += len(d.text)
		m.least = 3
		if strings.Contains(d.what, "status") || strings.Contains(d.what, "arms") {
			m.least = 6 // estimates are near a reward that is always paid, even with noise
		}
		for _, hit := range m.inText(d.text) {
			t.Errorf("%s holds %s", d.what, hit)
		}
	}
	frames, values := 0, 0
	for _, d := range rec.received() {
		frames++
		values += m.inMessage(t, d.Message)
	}
	for way, b := range wire.bytes() {
		sizes["TCP "+way] += len(b)
		for _, hit := range m.inBytes(b) {
			t.Errorf("the bytes %s hold %s", way, hit)
		}
	}
	if frames < 10 || values < 10 || sizes["TCP out"] < 5_000 || answers.rewards < 50 {
		t.Errorf("little was searched: %d frames, %d values, %d bytes out, %d rewards", frames, values, sizes["TCP out"], answers.rewards)
	}

	if !m.inStore(t, filepath.Join(s.dir, daemon.StoreDir)) {
		t.Error("not even the peer's own store, where it belongs, was found to hold it: the search is blind")
	}
	m.control(t)
	t.Logf("%v was reported %d times. Searched, and found nowhere:", marked, answers.rewards)
	for _, what := range slices.Sorted(keysOf(sizes)) {
		t.Logf("%9d bytes  %s", sizes[what], what)
	}
	t.Logf("%9d messages that the neighbour decrypted, with %d released numbers", frames, values)
	t.Log("Searched for: in text, any decimal number of 3 to 17 digits that is this one, rounded or cut off, so 0.731 is found and an estimate of 0.7314159 is not; " +
		"the bits of its float64 in hex; in all bytes, float64 in both orders and the text 0.731; in messages and the ledger, it and its multiples by the count on the lattice of 2^-20. " +
		"The lattice number takes three bytes, which ciphertext holds by chance, so it is not looked for there.")
}

// TestAStackDumpShowsNoReward, not even the rest of one in a register or on the stack, when a
// peer prints its stacks while rewards are in progress.
func TestAStackDumpShowsNoReward(t *testing.T) {
	m := newMark(t, marked)
	for range 5 {
		l := newLab(t, 2, "protocol.name", "average", "protocol.average.consistency", "max", "log.level", "debug")
		s, rec := l.sites[0], l.sites[1].record()
		s.start(launch{})
		s.ready()
		var d answers
		var all sync.WaitGroup
		stop := make(chan struct{})
		for i := range 32 {
			all.Go(func() { d.chaos(s, i, stop) })
		}
		time.Sleep(300 * time.Millisecond)
		_ = syscall.Kill(s.cmd.Process.Pid, syscall.SIGQUIT)
		s.ends(time.Minute)
		close(stop)
		all.Wait()
		if log := s.log(); !strings.Contains(log, "goroutine") {
			t.Errorf("no dump in the log:\n%s", s.tail())
		}
		for _, hit := range m.inText(s.log()) {
			t.Errorf("the stack dump holds %s", hit)
		}
		_ = rec.close()
	}
}

func keysOf(m map[string]int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// answers are all answers of a peer.
type answers struct {
	mu        sync.Mutex
	documents []document
	rewards   int
}

type document struct{ what, text string }

func (d *answers) add(what, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.documents = append(d.documents, document{what, text})
}

// chaos sends requests of all kinds, most with the marked reward.
func (d *answers) chaos(s *labSite, caller int, stop chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		id := fmt.Sprintf("c%d-%d", caller, i)
		_, status, text := s.decide(id)
		d.add("answers to decisions", text)
		if status == 0 {
			time.Sleep(time.Millisecond)
			continue
		}
		r, status, text := s.reward(id, marked)
		d.add("answers to rewards", text)
		if status == http.StatusOK && !r.Duplicate {
			d.mu.Lock()
			d.rewards++
			d.mu.Unlock()
		}
		wrong := []struct{ path, body string }{
			{"/v1/rewards", `{"id":"` + id + `","value":0.7310585}`},                   // a duplicate
			{"/v1/rewards", `{"id":"` + id + `","value":0.5}`},                         // a conflict
			{"/v1/rewards", `{"id":"nobody","value":0.7310585}`},                       // unknown
			{"/v1/rewards", `{"id":"` + id + `","value":"0.7310585"}`},                 // of the wrong type
			{"/v1/rewards", `{"id":"` + id + `","value":0.7310585`},                    // cut short
			{"/v1/rewards", `{"id":"` + id + `","value":0.7310585,"value":0.7310585}`}, // twice
			{"/v1/rewards", `{"id":"` + id + `","value":[0.7310585]}`},                 // a list
			{"/v1/rewards", `{"id":"` + id + `","values":0.7310585}`},                  // unknown field
			{"/v1/rewards", `{"id":0.7310585,"value":"` + id + `"}`},                   // the wrong way round
			{"/v1/rewards", `0.7310585`},                                               // no object
			{"/v1/rewards/batch", `{"rewards":[{"id":"` + id + `","value":0.7310585},{"id":"x","value":0.7310585},{"value":0.7310585}]}`},
			{"/v1/decisions", `{"id":"d-` + id + `","exclude":["0.7310585"]`},
			{"/v1/nothing", `{"value":0.7310585}`},
		}
		w := wrong[i%len(wrong)]
		res, err := s.client.Post("http://peer"+w.path, "application/json", strings.NewReader(w.body))
		_, text = answerOf(res, err)
		d.add("answers to what is wrong", text)
		if caller == 0 && i > 200 && i%50 == 0 { // its window has ended
			_, _, text = s.reward(fmt.Sprintf("c0-%d", i-200), .25)
			d.add("answers to late rewards", text)
		}
	}
}

// A mark is a number in all forms in which it may appear.
type mark struct {
	value   float64
	bits    uint64
	lattice int64
	least   int // least number of digits of a decimal to find
}

func newMark(t *testing.T, v float64) mark {
	t.Helper()
	q := require.Value(dp.Quantize(v, 0, 1))(t)
	return mark{v, math.Float64bits(v), q, 3}
}

var decimals = regexp.MustCompile(`\d*\.\d+(?:[eE][-+]?\d+)?|\d+`)

// inText returns where a text contains the number.
func (m mark) inText(text string) (hits []string) {
	text = clockTimes.ReplaceAllString(text, "$1") // 1 in 1,000 of them ends in any three digits
	for _, at := range decimals.FindAllStringIndex(text, -1) {
		if token := text[at[0]:at[1]]; m.is(token) {
			hits = append(hits, fmt.Sprintf("%s in %q", token, text[max(0, at[0]-60):min(len(text), at[1]+20)]))
		}
	}
	lower := strings.ToLower(text)
	for _, hex := range []string{fmt.Sprintf("%016x", m.bits), fmt.Sprintf("%016x", swap(m.bits)), fmt.Sprintf("0x%x", m.lattice)} {
		if i := strings.Index(lower, hex); i >= 0 {
			hits = append(hits, fmt.Sprintf("%s in %q", hex, text[max(0, i-60):min(len(text), i+40)]))
		}
	}
	return append(hits, m.inFloat([]byte(text))...)
}

var clockTimes = regexp.MustCompile(`(T\d\d:\d\d:\d\d)\.\d+`)

func swap(x uint64) uint64 {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], x)
	return binary.LittleEndian.Uint64(b[:])
}

// is reports whether a printed number is this one, to the number of its digits.
func (m mark) is(token string) bool {
	if token == strconv.FormatInt(m.lattice, 10) {
		return true
	}
	digits, _, _ := strings.Cut(strings.ToLower(token), "e")
	digits = strings.TrimLeft(strings.Replace(digits, ".", "", 1), "0")
	n := len(digits)
	if n < m.least || !strings.Contains(token, ".") {
		return false
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil {
		return false
	}
	n = min(n, 17)
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(m.value, 'e', n-1, 64), 64)
	long := strconv.FormatFloat(m.value, 'e', 20, 64) // 7.31058499999999940…e-01
	cut, _ := strconv.ParseFloat(long[:n+1]+"e-01", 64)
	return f == rounded || f == cut
}

// inFloat looks for the float64.
func (m mark) inFloat(b []byte) (hits []string) {
	for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
		if bits := order.AppendUint64(nil, m.bits); bytes.Contains(b, bits) {
			hits = append(hits, fmt.Sprintf("the float64 as % x", bits))
		}
	}
	return hits
}

// inBytes returns in which forms bytes contain the number.
func (m mark) inBytes(b []byte) []string {
	hits := m.inFloat(b)
	if text := fmt.Sprintf("%.3f", m.value); bytes.Contains(b, []byte(text)) {
		hits = append(hits, "the text "+text)
	}
	return hits
}

// inMessage checks every number in a message, and returns how many there are.
func (m mark) inMessage(t *testing.T, msg protocol.Message) (n int) {
	t.Helper()
	for i := range msg.Body() {
		r := msg.Release(i)
		for k := range r.Len() {
			n++
			times := int64(1)
			if k < r.Counts() {
				times = max(1, int64(r.Count(k)))
			}
			if v := r.Value(k); v == m.lattice || v == times*m.lattice {
				t.Errorf("a message of kind %d holds %d, which is %d times the reward on the lattice", msg.Kind(), v, v/m.lattice)
			}
		}
	}
	if hits := m.inBytes(protocol.Encode(nil, msg)); len(hits) > 0 {
		t.Errorf("a message of kind %d holds %v", msg.Kind(), hits)
	}
	return n
}

// inStore reports whether some file of a folder contains the number.
func (m mark) inStore(t *testing.T, dir string) (found bool) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found = found || len(m.inBytes(b)) > 0
		return err
	}))
	return found
}

// control checks that the search can find the number.
func (m mark) control(t *testing.T) {
	t.Helper()
	texts := []string{fmt.Sprintf("0x%x", m.bits), fmt.Sprint(m.lattice), string(binary.LittleEndian.AppendUint64([]byte("x"), m.bits))}
	for d := 3; d <= 17; d++ {
		texts = append(texts, strconv.FormatFloat(m.value, 'f', d, 64), strconv.FormatFloat(m.value, 'e', d-1, 64), strconv.FormatFloat(m.value, 'g', d, 64))
	}
	for _, text := range texts {
		if len(m.inText(`{"a":1.5,"value":`+text+`}`)) == 0 {
			t.Errorf("the search does not find %s", text)
		}
	}
	for _, text := range []string{"0.7314159", "0.73", "7.310585", "731", "0.17310585", "1.7310585e-01"} {
		if hits := m.inText(text); len(hits) > 0 {
			t.Errorf("the search finds %v in %s", hits, text)
		}
	}
	for _, b := range [][]byte{binary.BigEndian.AppendUint64(nil, m.bits), binary.LittleEndian.AppendUint64(nil, m.bits), []byte("x 0.7310585")} {
		if len(m.inBytes(append(b, 1, 2, 3))) == 0 {
			t.Errorf("the search does not find % x", b)
		}
	}
}

// A tap is what a TCP proxy in front of a peer has seen.
type tap struct {
	mu  sync.Mutex
	way map[string][]byte
}

func (w *tap) bytes() map[string][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.way
}

// tap puts a proxy in front of a peer, which keeps all bytes to it and from it.
func (l *lab) tap(i int) *tap {
	l.Helper()
	behind := strings.Split(l.net.Peers[i].Addrs[0], "/")
	listener := require.Value(net.Listen("tcp4", "127.0.0.1:0"))(l)
	l.Cleanup(func() { _ = listener.Close() })
	l.net.Peers[i].Addrs = []string{fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", listener.Addr().(*net.TCPAddr).Port)}
	l.writeNetwork()
	w := &tap{way: make(map[string][]byte)}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp4", net.JoinHostPort(behind[2], behind[4]))
			if err != nil {
				_ = from.Close()
				continue
			}
			go w.pass("out", from, to)
			go w.pass("in", to, from)
		}
	}()
	return w
}

func (w *tap) pass(way string, from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		w.way[way] = append(w.way[way], b[:n]...)
		w.mu.Unlock()
		if _, err2 := to.Write(b[:n]); err != nil || err2 != nil {
			return
		}
	}
}
