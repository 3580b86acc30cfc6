package playground

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugger"
	"github.com/lockstep-gpu/lockstep/emu/debug"
)

// DebugLaunch is one of the kernels of a session.
type DebugLaunch struct {
	Name       string      `json:"name"` // of the kernel, with "#1" and so on where several launches are of it
	GroupsOver uint64      `json:"groups_over"`
	Groups     uint64      `json:"groups"`
	InProgress [][3]uint64 `json:"in_progress"` // work-groups
	Current    bool        `json:"current"`     // the state is about one of them
}

// GroupChoice names a work-group in progress.
type GroupChoice struct {
	Launch int       `json:"launch"` // index in State.Launches
	ID     [3]uint64 `json:"id"`
}

// DebugPipe is a pipe.
type DebugPipe struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"` // of packets
	PacketBytes int      `json:"packet_bytes"`
	Capacity    uint64   `json:"capacity"`
	Packets     []string `json:"packets"` // that can be read, the oldest first: maxShown at most
	Len         uint64   `json:"len"`     // how many there are
	Written     uint64   `json:"written"`
	Read        uint64   `json:"read"`
	Reading     uint64   `json:"reading"` // in reservations to read, and behind them
	Writing     uint64   `json:"writing"` // to write
	// Lines say who has the ends, which reservations are open and who waits, for people.
	Lines []string `json:"lines"`
	Waits []Wait   `json:"waits"`
}

// Wait is work-items of a work-group that wait at a pipe.
type Wait struct {
	Kernel string    `json:"kernel"`
	Group  [3]uint64 `json:"group"`
	For    string    `json:"for"` // packets or room
	Items  []int     `json:"items"`
	Place  Place     `json:"place"`
}

// together shows the kernels of the session and their pipes.
func (d *session) together(st *State) {
	s := d.Session
	if s.Several() {
		st.Kernel = s.Label(s.CurrentLaunch())
		for _, l := range s.Launches() {
			one := DebugLaunch{Name: l.Label, GroupsOver: l.Over, Groups: l.All, InProgress: [][3]uint64{}, Current: l.Looked}
			for _, g := range l.Groups {
				one.InProgress = append(one.InProgress, g.ID)
			}
			st.Launches = append(st.Launches, one)
		}
	}
	for _, p := range s.Pipes() {
		one := DebugPipe{Name: p.Name, Type: p.Type.String(), PacketBytes: p.PacketBytes, Capacity: p.Capacity, Packets: []string{}, Len: p.Len,
			Written: p.Written, Read: p.Read, Reading: p.Reading, Writing: p.Writing, Lines: (&debugger.Console{Session: d.Session}).PipeLines(p), Waits: []Wait{}}
		for _, v := range s.Packets(p, 0, maxShown) {
			one.Packets = append(one.Packets, strings.ToValidUTF8(s.Text(v, maxShown), "\ufffd"))
		}
		for _, w := range p.Waits {
			what := "packets"
			if w.Write {
				what = "room"
			}
			one.Waits = append(one.Waits, Wait{s.Label(w.Launch), w.Group, what, w.Items, placeOf(s.PlaceIn(w.Launch, w.PC))})
		}
		st.Pipes = append(st.Pipes, one)
	}
}

// packets shows packets that moved through a pipe that is watched.
func (d *session) packets(h debug.WatchHit, hit *WatchHit) {
	if p := h.Packets; p != nil {
		hit.Text, hit.Old, hit.New = p.Pipe, "", (&debugger.Console{Session: d.Session}).Moved(h)
		hit.Place = placeOf(d.Session.PlaceIn(p.Launch, h.PC))
	}
}

// watch sets a watchpoint at a pipe, by its name, or at memory. That at a pipe stops behind reads, too.
func (d *session) watch(text string, kind debug.WatchKind) (*debug.Watchpoint, error) {
	p, ok := d.Session.FindPipe(text)
	if !ok {
		return d.Session.Watch(text, kind)
	}
	if kind == debug.WatchWrite {
		kind = debug.WatchReadWrite
	}
	return d.Session.WatchPipe(p, kind)
}
