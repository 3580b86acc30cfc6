package dap

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-dap"
)

// The limits of what a client may send.
const (
	maxMessage = 4 << 20  // bytes of a message
	maxHeader  = 1 << 10  // bytes of a line of its header, and lines
	maxQueued  = 64 << 20 // bytes of messages that wait for an answer
)

// errFraming is the error of bytes that are no message. There is no way to find the next one behind them.
var errFraming = errors.New("no message of the Debug Adapter Protocol")

// request is what a client sends. Seq is its own number for it.
type request struct {
	Seq       int             `json:"seq"`
	Type      string          `json:"type"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`

	size      int
	cancelled bool
}

// readMessage reads the header and the content of one message.
func readMessage(r *bufio.Reader) ([]byte, error) {
	length := -1
	for lines := 0; ; lines++ {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0 && lines == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case err != nil || lines > maxHeader:
			return nil, fmt.Errorf("%w: its header is too long", errFraming)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && lines > 0 {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		switch {
		case ok && strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return nil, fmt.Errorf("%w: its length is %.20q, and may be 0 to %d", errFraming, value, maxMessage)
			}
		case !ok || !strings.EqualFold(name, "Content-Type"):
			return nil, fmt.Errorf("%w: its header has %.40q", errFraming, text)
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("%w: its header has no Content-Length", errFraming)
	}
	content := make([]byte, length)
	_, err := io.ReadFull(r, content)
	return content, err
}

// inbox holds the requests that wait for an answer.
type inbox struct {
	mu     sync.Mutex
	list   []*request
	bytes  int
	err    error         // why there are no more
	ready  chan struct{} // there may be something new
	room   chan struct{} // something was taken
	now    *request      // the request that is being answered
	cancel func()        // ends what it does
}

func newInbox() *inbox {
	return &inbox{ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// signal wakes who waits for a channel of one place.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// read takes messages of a client until there are no more, or done is closed.
func (in *inbox) read(from io.Reader, done <-chan struct{}) {
	r := bufio.NewReaderSize(from, maxHeader)
	for {
		content, err := readMessage(r)
		if err != nil {
			in.end(err)
			return
		}
		m := &request{size: len(content)}
		if err := json.Unmarshal(content, m); err != nil {
			m = &request{size: len(content), Type: "wrong", Command: err.Error()}
		}
		for !in.push(m) {
			select {
			case <-in.room:
			case <-done:
				return
			}
		}
	}
}

// end notes that no more messages come.
func (in *inbox) end(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.err = err
	if in.cancel != nil {
		in.cancel()
	}
	signal(in.ready)
}

// push adds a request, unless there is no room. What ends another request does so at once.
func (in *inbox) push(m *request) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.bytes+m.size > maxQueued && len(in.list) > 0 {
		return false
	}
	in.list = append(in.list, m)
	in.bytes += m.size
	switch m.Command {
	case "cancel":
		var a dap.CancelArguments
		if json.Unmarshal(m.Arguments, &a) == nil && a.RequestId != 0 {
			for _, other := range in.list {
				other.cancelled = other.cancelled || other.Seq == a.RequestId && other != m
			}
			if in.now != nil && in.now.Seq == a.RequestId {
				in.cancel()
			}
		}
	case "disconnect", "terminate":
		if in.cancel != nil {
			in.cancel()
		}
	}
	signal(in.ready)
	return true
}

// pop takes the next request, which cancel ends; nil when there is none at the moment, and an error when none
// comes any more.
func (in *inbox) pop(cancel func()) (*request, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.now, in.cancel = nil, nil
	if len(in.list) == 0 {
		return nil, in.err
	}
	m := in.list[0]
	in.list = in.list[1:]
	in.bytes -= m.size
	in.now, in.cancel = m, cancel
	signal(in.room)
	return m, nil
}

// outbox writes messages to a client, and numbers them. What a host program writes comes at any time.
type outbox struct {
	mu  sync.Mutex
	w   io.Writer
	seq int
	err error // of the first that could not be written
}

func (o *outbox) send(m any) {
	if o.err != nil {
		return
	}
	var content bytes.Buffer
	e := json.NewEncoder(&content)
	e.SetEscapeHTML(false) // nobody puts it into a page
	err := e.Encode(m)
	if err == nil {
		err = dap.WriteBaseMessage(o.w, bytes.TrimSuffix(content.Bytes(), []byte("\n")))
	}
	if f, ok := o.w.(interface{ Flush() error }); ok && err == nil {
		err = f.Flush()
	}
	o.err = err
}

// failed returns the error of the first message that could not be written.
func (o *outbox) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// response is a successful answer.
type response struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// event is something that the client is told.
type event struct {
	dap.Event
	Body any `json:"body,omitempty"`
}

func (o *outbox) next(kind string) dap.ProtocolMessage {
	o.seq++
	return dap.ProtocolMessage{Seq: o.seq, Type: kind}
}

func (o *outbox) respond(m *request, body any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send(response{dap.Response{ProtocolMessage: o.next("response"), RequestSeq: m.Seq, Success: true, Command: m.Command}, body})
}

// refuse answers with an error. short is the protocol's word for it, if there is one. Otherwise the text
// stands in both places: some clients show the message, others the format of the body.
func (o *outbox) refuse(m *request, short string, err error) {
	if short == "" {
		short = err.Error()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send(dap.ErrorResponse{
		Response: dap.Response{ProtocolMessage: o.next("response"), RequestSeq: m.Seq, Command: m.Command, Message: short},
		Body:     dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: braces(err.Error()), ShowUser: wished[m.Command]}},
	})
}

// wished are the requests that somebody has made, who is told when they fail. Others an editor makes by
// itself, for what it shows: the mouse rests on a word that is no variable, or a view asks for what was there
// before a step. Their errors stand where the answer would, if anywhere.
var wished = map[string]bool{
	"initialize": true, "launch": true, "attach": true, "restart": true, "continue": true, "next": true, "stepIn": true,
	"stepOut": true, "stepBack": true, "reverseContinue": true, "pause": true, "setVariable": true, "setExpression": true,
	"writeMemory": true, "setBreakpoints": true, "setFunctionBreakpoints": true, "setInstructionBreakpoints": true,
	"setDataBreakpoints": true, "setExceptionBreakpoints": true,
}

// braces keeps clients from taking {name} in a message for the name of a variable, which they would replace.
func braces(text string) string { return strings.ReplaceAll(text, "{", "{ ") }

func (o *outbox) event(name string, body any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send(event{dap.Event{ProtocolMessage: o.next("event"), Event: name}, body})
}
