package playground

import (
	"context"
	"encoding/json"
	"testing"
)

// call sends a request and returns the response.
func call(t *testing.T, s *Server, req *Request) *Response {
	t.Helper()
	text, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var resp Response
	if err := json.Unmarshal([]byte(s.Call(context.Background(), string(text))), &resp); err != nil {
		t.Fatal(err)
	}
	return &resp
}

// branchy writes odd and even elements on different lines.
const branchy = `kernel void k(global int *p)
{
	int i = get_global_id(0);
	local int t[64];
	t[i * 2] = i;
	barrier(1);
	if (i & 1)
		p[i] = t[i * 2];
	else
		p[i] = 7;
}
`

// TestDebugToTheEnd opens a session, goes to its end and comes back.
func TestDebugToTheEnd(t *testing.T) {
	s := New()
	launch := &Launch{Source: Source{Text: branchy}, Args: []Arg{{Spec: "zero:i32:8", Out: true}}, Global: "8", Local: "8", Subgroup: 4}
	opened := call(t, s, &Request{Op: OpDebugOpen, Launch: launch})
	if opened.Error != "" || opened.State.End == 0 || opened.State.Tick != 0 {
		t.Fatalf("opened: %q, %+v", opened.Error, opened.State)
	}
	end := call(t, s, &Request{Op: OpDebugStep, Session: opened.State.Session, Step: &Step{Kind: "finish"}})
	if end.Error != "" || !end.State.Ended || end.State.Tick != opened.State.End || end.State.Outputs != "0: 7 1 7 3 7 5 7 7\n" {
		t.Fatalf("end: %q, %+v", end.Error, end.State)
	}
	back := call(t, s, &Request{Op: OpDebugStep, Session: opened.State.Session, Step: &Step{Kind: "over", Back: true}})
	if back.Error != "" || back.State.Ended || back.State.Tick >= end.State.Tick {
		t.Fatalf("back: %q, %+v", back.Error, back.State)
	}
}
