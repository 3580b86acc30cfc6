package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// maxNotes is how many notes a row of a timeline has.
const maxNotes = 1000

// NoteKind says what a note is about.
type NoteKind uint8

// The kinds of notes.
const (
	NoteWrites      NoteKind = iota // packets went into a pipe
	NoteReads                       // packets came out of a pipe
	NoteWaitsRoom                   // a wait for room in a pipe
	NoteWaitsPacket                 // a wait for packets of a pipe
	NoteLevel                       // how many packets a pipe held
	NoteCopy                        // a copy moved
	NoteBarrier                     // a barrier opened
)

// TimelineNote is something that happened in a row of a timeline, with its ticks, [From, To), whatever the columns of
// the picture are.
type TimelineNote struct {
	From, To uint64
	Kind     NoteKind
	Text     string
}

// addNotes sorts the notes of a row by their ticks and gives them to it: as many as there is room for.
func (row *TimelineRow) addNotes(list []TimelineNote) {
	slices.SortStableFunc(list, func(a, b TimelineNote) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	if len(list) > maxNotes {
		row.NotesLeft, list = len(list)-maxNotes, list[:maxNotes]
	}
	row.Notes = list
}

// at is " (line 9)" for an instruction whose line is known.
func (r *Recorder) at(launch, pc int) string {
	if p := r.place(launch, pc); p.Line > 0 {
		return fmt.Sprintf(" (line %d)", p.Line)
	}
	return ""
}

// waitNote is the note of a wait at a pipe.
func (r *Recorder) waitNote(w *pipeWait, end uint64) TimelineNote {
	n := TimelineNote{w.from, w.until(end), NoteWaitsPacket, "waits for " + w.needs(r) + r.at(w.launch, w.pc)}
	if w.write {
		n.Kind = NoteWaitsRoom
	}
	if !w.over {
		n.Text += ", to the end"
	}
	return n
}

// moveNote is the note of packets that moved.
func (r *Recorder) moveNote(run *packetRun, who string) TimelineNote {
	name := pipeName(&r.pipes.infos[run.pipe])
	n := TimelineNote{run.from, run.to + 1, NoteReads, fmt.Sprintf("%sreads %s of %s%s", who, run.packetText(), name, r.at(run.launch, run.pc))}
	if run.write {
		n.Kind, n.Text = NoteWrites, fmt.Sprintf("%swrites %s to %s%s", who, run.packetText(), name, r.at(run.launch, run.pc))
	}
	return n
}

// waveNotes are what a wave of a work-group did with pipes.
func (r *Recorder) waveNotes(group, wave int) (list []TimelineNote) {
	end := r.lastTick()
	for i := range r.pipes.runs {
		if run := &r.pipes.runs[i]; run.group == group && run.wave == wave {
			list = append(list, r.moveNote(run, ""))
		}
	}
	for i := range r.pipes.waits {
		if w := &r.pipes.waits[i]; w.group == group && w.wave == wave && w.until(end) > w.from {
			list = append(list, r.waitNote(w, end))
		}
	}
	return list
}

// launchNotes are what the waves of a launch waited for at pipes.
func (r *Recorder) launchNotes(launch int) (list []TimelineNote) {
	end := r.lastTick()
	for i := range r.pipes.waits {
		if w := &r.pipes.waits[i]; w.launch == launch && w.until(end) > w.from {
			list = append(list, r.waitNote(w, end))
		}
	}
	return list
}

// pipeNotes are who wrote to a pipe and read from it, and how many packets it held.
func (r *Recorder) pipeNotes(pipe int, levels []level, end uint64) (list []TimelineNote) {
	for i := range r.pipes.runs {
		if run := &r.pipes.runs[i]; run.pipe == pipe {
			list = append(list, r.moveNote(run, r.label(run.launch)+" "))
		}
	}
	for i, l := range levels {
		to := end
		if i+1 < len(levels) {
			to = levels[i+1].tick
		}
		if l.tick < to {
			list = append(list, TimelineNote{l.tick, to, NoteLevel, fmt.Sprintf("%d of %d packets", l.n, r.pipes.infos[pipe].Capacity)})
		}
	}
	return list
}

// copyNotes are the copies of an engine.
func (r *Recorder) copyNotes(g *group, engine int) (list []TimelineNote) {
	for i := range g.transfers {
		t := &g.transfers[i]
		if t.engine != engine {
			continue
		}
		from, to := g.shown(t)
		text := fmt.Sprintf("copy %d: %s from %s to %s", i+1, counted(t.bytes, "byte"), t.source(), t.target())
		list = append(list, TimelineNote{from, to, NoteCopy, text + r.at(g.launch, t.pc)})
	}
	return list
}

// barrierNotes are the barriers of a work-group that opened.
func (r *Recorder) barrierNotes(g *group) (list []TimelineNote) {
	for i := range g.events {
		if e := &g.events[i]; e.kind == kindBarrier {
			list = append(list, TimelineNote{e.from, e.from + 1, NoteBarrier, "a barrier opens" + r.at(g.launch, int(e.pc))})
		}
	}
	return list
}
