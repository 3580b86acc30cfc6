package hostrun

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
)

// Stop is a launch that waits, recorded, before it runs.
type Stop struct {
	Launch int    `json:"launch"`
	Kernel string `json:"kernel"`
	Record string `json:"record"` // the file of arguments
	Call   string `json:"call,omitempty"`
}

// The answers to a Stop: the launch runs, and so do all further ones of the process.
const (
	answerOn   = "on"
	answerOver = "over"
)

// maxStop bounds what a process may say of a launch, in bytes.
const maxStop = 1 << 16

// stop tells who listens at the socket of -stop of a launch, and waits until it may run. Launches wait one after
// the other. Where nobody listens any more, they do not wait.
func (s *Session) stop(st Stop) error {
	s.stopping.Lock()
	defer s.stopping.Unlock()
	if s.unstopped {
		return nil
	}
	answer, err := ask(s.o.Stop, st)
	s.unstopped = err != nil || answer == answerOver
	if err != nil {
		return fmt.Errorf("launches do not stop any more: %w", err)
	}
	return nil
}

// ask sends a launch to a socket and returns the answer.
func ask(socket string, st Stop) (string, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(st); err != nil {
		return "", err
	}
	answer, err := bufio.NewReader(io.LimitReader(conn, maxStop)).ReadString('\n')
	if err != nil {
		return "", err
	}
	return answer[:len(answer)-1], nil
}

// ServeStops takes the launches that processes tell of at a listener, one after the other, until it is closed. f
// says whether a process's further launches stop, too.
func ServeStops(l net.Listener, f func(Stop) (more bool)) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		serveStop(conn, f)
	}
}

func serveStop(conn net.Conn, f func(Stop) (more bool)) {
	defer conn.Close()
	var st Stop
	if json.NewDecoder(io.LimitReader(conn, maxStop)).Decode(&st) != nil {
		return // whoever it is does not get an answer
	}
	answer := answerOver
	if f(st) {
		answer = answerOn
	}
	_, _ = io.WriteString(conn, answer+"\n") // a process that is gone needs none
}
