package playground

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dispatch"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// Limits of requests.
const (
	maxRequest   = 80 << 20 // bytes
	defaultTime  = 10 * time.Second
	longestTime  = 10 * time.Minute
	maxArguments = 10_000
)

// Server answers requests, one at a time.
type Server struct {
	session *session // that is open; nil for none
	number  int      // of the last one
}

// New returns a server.
func New() *Server { return &Server{} }

// Call answers a request with a response, both JSON documents.
func (s *Server) Call(ctx context.Context, request string) string {
	resp := s.answer(ctx, request)
	text, err := json.Marshal(resp)
	if err != nil { // a number that JSON has not, or the like
		text, _ = json.Marshal(&Response{Op: resp.Op, ID: resp.ID, Error: "the answer is no document: " + err.Error()})
	}
	return string(text)
}

// answer reads a request and answers it.
func (s *Server) answer(ctx context.Context, request string) (resp *Response) {
	resp = &Response{}
	if len(request) > maxRequest {
		resp.Error = fmt.Sprintf("the request has %d bytes; %d is the most", len(request), maxRequest)
		return resp
	}
	var req Request
	if err := json.Unmarshal([]byte(request), &req); err != nil {
		resp.Error = "no request: " + err.Error()
		return resp
	}
	resp.Op, resp.ID = req.Op, req.ID
	limit := defaultTime
	if req.Milliseconds > 0 {
		limit = min(time.Duration(min(req.Milliseconds, 1<<30))*time.Millisecond, longestTime)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// What is wrong with lockstep itself must not end the page; it is an error that people can report.
	defer func() {
		if p := recover(); p != nil {
			s.close()
			resp = &Response{Op: req.Op, ID: req.ID, Error: panicText(p)}
		}
	}()
	if err := s.do(ctx, &req, resp); err != nil {
		resp.Error = err.Error()
	}
	return resp
}

// panicText says what a panic means. One that allocates more than there can be comes of a launch that wants too much.
func panicText(p any) string {
	text := fmt.Sprint(p)
	if strings.Contains(text, "makeslice: len out of range") || strings.Contains(text, "makeslice: cap out of range") {
		return "the launch wants more memory than there is here: WebAssembly has 4 GB in all; make buffers smaller, or work-items fewer"
	}
	return "lockstep has a bug: " + text
}

// do does what a request asks for.
func (s *Server) do(ctx context.Context, req *Request, resp *Response) (err error) {
	switch req.Op {
	case OpVersion:
		resp.Version = version(ctx)
	case OpLessons:
		resp.Lessons, err = Lessons()
	case OpCommand:
		resp.Command, err = command(ctx, req)
	case OpCompile:
		resp.Compile, err = compile(ctx, req.Source)
	case OpLaunchOf:
		resp.Launch, err = launchOf(ctx, req)
	case OpCommandOf:
		if req.Launch == nil {
			return errNoLaunch
		}
		resp.Line = req.Launch.line()
	case OpRun:
		resp.Run, err = run(ctx, req)
	case OpDebugOpen, OpDebugStep, OpDebugGoto, OpDebugBreakpoints, OpDebugSelect, OpDebugEvaluate:
		err = s.debug(ctx, req, resp)
	case OpDebugTimeline:
		resp.Timeline, err = s.timeline(ctx, req)
	case OpDebugClose:
		s.close()
	default:
		err = fmt.Errorf("there is no operation %q", req.Op)
	}
	return err
}

// version says what answers.
func version(ctx context.Context) *Version {
	v := &Version{Lockstep: emu.Version, Protocol: Protocol, Go: runtime.Version()}
	if w, err := newWorld(nil, ""); err == nil && dispatch.Main(ctx, commands(), []string{"version"}, w.env) == cmdline.ExitDone {
		v.Text = strings.TrimSpace(w.stdout.String())
	}
	return v
}

// arguments returns the words of a command line.
func (r *Request) arguments() ([]string, error) {
	args := r.Args
	if len(args) == 0 {
		list, _, err := words.Split(r.Line)
		if err != nil {
			return nil, err
		}
		for _, w := range list {
			args = append(args, w.Text)
		}
	}
	if len(args) > 0 && args[0] == "lockstep" {
		args = args[1:]
	}
	if len(args) > maxArguments {
		return nil, fmt.Errorf("more than %d words", maxArguments)
	}
	return args, nil
}

// command runs a command.
func command(ctx context.Context, req *Request) (*CommandResult, error) {
	args, err := req.arguments()
	if err != nil {
		return nil, err
	}
	w, err := newWorld(req.Files, req.Stdin)
	if err != nil {
		return nil, err
	}
	result := w.result(dispatch.Main(ctx, commands(), args, w.env))
	return &result, nil
}
