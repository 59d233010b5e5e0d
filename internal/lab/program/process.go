package program

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// mostLine is the greatest length of a line of an answer, in bytes.
const mostLine = 1 << 20

// grace is how long a program may take to end when nothing more is asked.
const grace = time.Second

// A process is a running program, which answers each line on its standard input by one on its standard output.
type process struct {
	name    string // with the command, for errors
	cmd     *exec.Cmd
	in, out *os.File
	answers *bufio.Reader
	words   tail
	timeout time.Duration
	watch   *time.Timer // ends the process if an answer is late
	release func() bool // stops waiting for the end of the context

	mu  sync.Mutex
	why error // it was ended
	err error // of the first question that had no good answer
}

// start starts a program, which ends with ctx at the latest.
func start(ctx context.Context, command []string, timeout time.Duration) (*process, error) {
	p := &process{name: fmt.Sprintf("learner.program (%s)", strings.Join(command, " ")), timeout: timeout}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Stderr, p.cmd.WaitDelay = &p.words, grace
	detach(p.cmd)
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close())
	}
	p.in, p.out, p.answers = in, out, bufio.NewReaderSize(out, mostLine)
	p.cmd.Stdin, p.cmd.Stdout = stdin, stdout
	err = p.cmd.Start()
	_, _ = stdin.Close(), stdout.Close() // the program has its own
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not start: %w", p.name, err), in.Close(), out.Close())
	}
	p.watch = time.AfterFunc(timeout, func() { p.end(fmt.Errorf("no answer in %s", timeout)) })
	p.release = context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })
	return p, nil
}

// end ends the process and whatever it has started, for a reason: the first one counts.
func (p *process) end(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why != nil {
		return
	}
	p.why = why
	kill(p.cmd)
	_, _ = p.in.Close(), p.out.Close() // a question or an answer that is under way ends, too
}

// ask writes a question and reads the answer, of which check says what is wrong; want says what it should be.
// After an error all questions have the same one.
func (p *process) ask(question, answer any, want string, check func() error) error {
	if p.err != nil {
		return p.err
	}
	p.watch.Reset(p.timeout)
	line, err := p.exchange(question)
	if !p.watch.Stop() {
		err = fmt.Errorf("no answer in %s", p.timeout)
	}
	if err == nil {
		if err = decode(line, answer); err == nil {
			if err = check(); err == nil {
				return nil
			}
		}
		err = fmt.Errorf("answered %.200q: %w", bytes.TrimSpace(line), err)
	}
	p.end(err)
	_ = p.cmd.Wait() // so that all its words are there
	p.mu.Lock()
	defer p.mu.Unlock()
	if err = p.why; errors.Is(err, context.Canceled) {
		p.err = err
	} else {
		p.err = fmt.Errorf("%s: %w; want %s%s", p.name, err, want, p.words.last())
	}
	return p.err
}

// exchange writes a question and reads a line.
func (p *process) exchange(question any) ([]byte, error) {
	line, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	if p.answers.Buffered() > 0 {
		return nil, errors.New("wrote a line that it was not asked for")
	}
	if _, err = p.in.Write(append(line, '\n')); err != nil {
		return nil, errors.New("ended, or closed its standard input")
	}
	line, err = p.answers.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("wrote a line of over %d bytes", mostLine)
	case err != nil && len(line) > 0:
		return nil, fmt.Errorf("ended within the line %.200q", line)
	case err != nil:
		return nil, errors.New("ended, or closed its standard output, without an answer")
	}
	return line, nil
}

// close lets the process end, and ends it if it does not. It returns the error of the questions, or that there were
// more answers than questions.
func (p *process) close() error {
	defer p.release()
	if p.err == nil {
		_ = p.in.Close()
		p.watch.Reset(grace)
		if more, _ := io.ReadAll(io.LimitReader(p.answers, 1)); len(more) > 0 {
			rest, _ := p.answers.Peek(p.answers.Buffered())
			p.err = fmt.Errorf("%s: wrote more lines than it was asked for: %.200q; want one line for each", p.name, bytes.TrimSpace(append(more, rest...)))
		}
		p.watch.Stop()
		p.end(errors.New("the run is over"))
		_ = p.cmd.Wait()
	}
	return p.err
}

// decode reads a line that holds one JSON value and no names that are not known.
func decode(line []byte, answer any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(answer); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more in the line")
	}
	return nil
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (t *tail) Write(b []byte) (int, error) {
	const most = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

// last returns the last lines, as the end of a sentence; empty if there are none.
func (t *tail) last() string {
	const most = 6
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.text))
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return "; its last words:\n" + strings.Join(lines[max(0, len(lines)-most):], "\n")
}
