package trace

import "fmt"

// Timeline is a picture of what happened on the logical clock: of a work-group, or of launches that run together and
// their pipes.
type Timeline struct {
	Name       string // "group (0,0,0)"
	Start, End uint64 // ticks
	Rows       []TimelineRow
	More       int // waves, or launches and pipes, that are left out
}

// TimelineRow is what a wave, an engine for copies or a launch did, or how full a pipe was.
type TimelineRow struct {
	Name  string
	Spans []TimelineSpan // in order, and apart
	// Notes say more, with exact ticks: packets that moved, what a wait was for, which copy moved. They overlap. NotesLeft
	// is how many there is no room for.
	Notes     []TimelineNote
	NotesLeft int
}

// Activity is what goes on in a span of a timeline.
type Activity uint8

// The activities.
const (
	ActivityRuns         Activity = iota // a wave, or a launch, runs
	ActivityIssue                        // a wave runs and issues a copy
	ActivityMark                         // a wave runs and sets an async mark
	ActivityCopyWait                     // a wave waits for a copy
	ActivityBarrierWait                  // a wave waits at a barrier
	ActivityPipeWait                     // a wave waits at a pipe
	ActivityIdle                         // it is not its turn
	ActivityBarrier                      // a barrier opens
	ActivityCopy                         // a copy moves
	ActivityCopies                       // several copies move
	ActivityWaitsPackets                 // a launch waits for packets
	ActivityWaitsRoom                    // a launch waits for room
	ActivityGaveWay                      // a launch found nothing at its pipes
	ActivityPipeLevel                    // a pipe holds packets
	NumActivities
)

var activityNames = [NumActivities]string{
	"runs", "issues a copy", "async mark", "waits for a copy", "waits at a barrier", "waits at a pipe", "not its turn", "a barrier opens", "a copy moves",
	"several copies move", "waits for packets", "waits for room", "gave way", "how full a pipe is",
}

// String says what goes on.
func (a Activity) String() string { return activityNames[a] }

// TimelineSpan is some ticks of a row, [From, To).
type TimelineSpan struct {
	From, To uint64
	Activity Activity
	Tenths   int // how full a pipe is, from 1 to 10
}

// ofSigns are the activities that signs of pictures stand for.
var ofSigns = map[byte]Activity{
	signRun: ActivityRuns, signIssue: ActivityIssue, signMark: ActivityMark, signStall: ActivityCopyWait, signParked: ActivityBarrierWait,
	signPipe: ActivityPipeWait, signIdle: ActivityIdle, signBarrier: ActivityBarrier,
}

var ofLaunchSigns = map[byte]Activity{
	signRun: ActivityRuns, signWaitPackets: ActivityWaitsPackets, signWaitRoom: ActivityWaitsRoom, signGave: ActivityGaveWay, signIdle: ActivityIdle,
}

// spans turns the signs of a row into spans. A sign that f does not know has none; what is alike and touches is one.
func (c *canvas) spans(signs []byte, f func(sign byte) (a Activity, tenths int, ok bool)) []TimelineSpan {
	var list []TimelineSpan
	for i := 0; i < len(signs); {
		next := i + 1
		for next < len(signs) && signs[next] == signs[i] {
			next++
		}
		if a, tenths, ok := f(signs[i]); ok {
			from := c.start + uint64(i)*c.scale
			list = append(list, TimelineSpan{from, max(min(c.start+uint64(next)*c.scale, c.end), from+1), a, tenths})
		}
		i = next
	}
	return list
}

// Timelines returns pictures of the first work-groups, and how many work-groups have none; of launches that run
// together, a picture of all of them and their pipes comes first. A picture has at most so many columns.
func (r *Recorder) Timelines(groups, columns int) (list []Timeline, left uint64) {
	if r.set {
		list = append(list, r.setTimeline(columns))
	}
	for i := range r.groups {
		g := &r.groups[i]
		if i == groups {
			return list, uint64(len(r.groups)-i) + r.passed
		}
		c := newCanvas(g, columns)
		rows, waves, more := g.signRows(&c)
		t := Timeline{Name: g.name(), Start: g.start, End: g.end, More: more}
		if r.set {
			t.Name = r.label(g.launch) + ", " + t.Name
		}
		for k, row := range rows {
			t.Rows = append(t.Rows, TimelineRow{Name: row.name, Spans: c.spans(row.signs, func(sign byte) (Activity, int, bool) {
				switch {
				case !row.engine:
					a, ok := ofSigns[sign]
					return a, 0, ok
				case sign == signSeveral:
					return ActivityCopies, 0, true
				}
				return ActivityCopy, 0, sign != signIdle
			})})
			to := &t.Rows[len(t.Rows)-1]
			switch {
			case k < waves:
				to.addNotes(r.waveNotes(i, k))
			case row.engine:
				to.addNotes(r.copyNotes(g, row.number))
			default:
				to.addNotes(r.barrierNotes(g))
			}
		}
		list = append(list, t)
	}
	return list, r.passed
}

// setTimeline is the picture of launches that run together.
func (r *Recorder) setTimeline(columns int) Timeline {
	f := r.flow()
	c := newCanvas(&group{end: f.ticks}, columns)
	t := Timeline{Name: fmt.Sprintf("%s together", countedAs(len(r.launches), "launch", "launches")), End: f.ticks}
	for i := range r.launches {
		if i == maxPipes {
			t.More += len(r.launches) - i
			break
		}
		t.Rows = append(t.Rows, TimelineRow{Name: r.label(i), Spans: c.spans(f.launchSigns(&c, i), func(sign byte) (Activity, int, bool) {
			a, ok := ofLaunchSigns[sign]
			return a, 0, ok
		})})
		t.Rows[len(t.Rows)-1].addNotes(r.launchNotes(i))
	}
	for i := range r.pipes.infos {
		if i == maxPipes {
			t.More += len(r.pipes.infos) - i
			break
		}
		t.Rows = append(t.Rows, TimelineRow{Name: "pipe " + pipeName(&r.pipes.infos[i]), Spans: c.spans(f.levelSigns(&c, i, uint64(r.pipes.infos[i].Capacity)), func(sign byte) (Activity, int, bool) {
			switch sign {
			case signIdle:
				return 0, 0, false
			case signFull:
				return ActivityPipeLevel, 10, true
			}
			return ActivityPipeLevel, max(int(sign-'0'), 1), true
		})})
		t.Rows[len(t.Rows)-1].addNotes(r.pipeNotes(i, f.levels[i], f.ticks))
	}
	return t
}

// LaneStrip is how many lanes of a sub-group were active over time, on the clock of the sub-group: a tick for each
// instruction that it issues, and where it waits at a barrier, one for each that the last of its work-group issues.
type LaneStrip struct {
	Launch   string
	Subgroup int    // number in the work-group
	Group    uint64 // number of the work-group
	Size     int    // lanes of a sub-group
	End      uint64 // ticks
	Columns  []LaneColumn
}

// LaneColumn is some ticks of a strip.
type LaneColumn struct {
	From, To uint64
	Ticks    uint64 // in which the sub-group issued instructions: it waited in the others
	Lanes    uint64 // active lanes, added up over these
}

// LaneStrips returns the strips of the first sub-groups of each launch. The recorder must have been made with
// [Options].Subgroups.
func (r *Recorder) LaneStrips() []LaneStrip {
	if r.subgroups == nil {
		return nil
	}
	var list []LaneStrip
	for _, s := range r.subgroups.strips {
		one := LaneStrip{Launch: r.launchName(s.launch), Subgroup: s.number, Group: s.group, Size: max(r.launches[s.launch].SubgroupSize, 1), End: s.end}
		for i := range s.ticks {
			if from := uint64(i) * s.scale; from < s.end {
				one.Columns = append(one.Columns, LaneColumn{From: from, To: min(from+s.scale, s.end), Ticks: s.ticks[i], Lanes: s.lanes[i]})
			}
		}
		list = append(list, one)
	}
	return list
}

// BankCounts is how accesses used the banks of local memory.
type BankCounts struct {
	// Words is how many words accesses took from each bank; a word that several lanes of an access want counts once.
	Words [Banks]uint64
	// Conflicts is how many accesses of sub-groups took how many passes over the banks beyond those needed.
	Conflicts map[uint64]uint64
}

// add counts an access.
func (b *BankCounts) add(words *[Banks]uint64, conflicts uint64) {
	for i, n := range words {
		b.Words[i] += n
	}
	if len(b.Conflicts) < maxConflicts || b.Conflicts[conflicts] > 0 {
		b.Conflicts[conflicts]++
	}
}

// Banks returns how accesses used the banks of local memory. The recorder must have been made with [Options].Subgroups.
func (r *Recorder) Banks() BankCounts {
	if r.subgroups == nil {
		return BankCounts{}
	}
	r.flushAccesses()
	return r.subgroups.banks
}
