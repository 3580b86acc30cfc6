package scheduler

import (
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Stepping is launches that a debugger runs. Each is by its number among them; a work-group, by the number of its launch
// and its position in the launch's schedule.
type Stepping interface {
	// Run goes on until something is to be told.
	Run() Event
	// Resume lets launches go on that were stopped by their Cancel, which all share.
	Resume()
	// Attend makes a work-group in progress the one that is looked at, until Run goes on. It returns false for others.
	Attend(launch int, pos uint64) bool

	// Of the work-group that is looked at, which is the one whose turn it is unless Attend was called:
	Index() int                                  // its launch's number
	Launch() *engine.Launch                      // its launch
	WaveLanes() int                              // of a whole wave
	Group() (*engine.Group, bool)                // whether there is one
	Position() uint64                            // in the schedule
	Waves() (list []engine.Debuggable, turn int) // which of them has its turn; -1 for none

	// Launches returns all launches, and InProgress their work-groups in progress.
	Launches() []*engine.Launch
	InProgress() []Progress
	// Over returns how many work-groups of a launch are over, of all.
	Over(launch int) (over, all uint64)
	// Results returns the results of the launches so far, and Output what was printed.
	Results() []*Result
	Output() []byte
	// Pipes returns the pipes of the launches that run now, and PipeState how one of them is.
	Pipes() []*memory.Pipe
	PipeState(p *memory.Pipe) PipeState
	// Err returns why nothing can go on, or nil.
	Err() error

	// Save returns the state, but for global memory, and Restore puts it back.
	Save() *Saved
	Restore(s *Saved)
	// Close ends the launches where they are.
	Close()
}

var (
	_ Stepping = (*Stepper)(nil)
	_ Stepping = (*SetStepper)(nil)
	_ Stepping = (*Sequence)(nil)
)

// Progress is a work-group in progress.
type Progress struct {
	Launch int
	Group  Group
	Turn   bool // it is its turn, or was the last
}

// Sequence is launches that run one after the other, and sets of them: stages. A stage that came to a fault is the last,
// unless KeepGoing is set.
type Sequence struct {
	Stages    []Stepping
	Debug     *engine.Debug
	KeepGoing bool

	at    int
	first []*Saved // the states of stages before they began
}

func (q *Sequence) now() Stepping { return q.Stages[q.at] }

// base is the number of launches before the stage that runs.
func (q *Sequence) base() (n int) {
	for _, s := range q.Stages[:q.at] {
		n += len(s.Launches())
	}
	return n
}

// of returns the stage of a launch, and the launch's number there.
func (q *Sequence) of(launch int) (Stepping, int) {
	for _, s := range q.Stages {
		if n := len(s.Launches()); launch >= n {
			launch -= n
			continue
		}
		return s, launch
	}
	return q.Stages[0], 0
}

// Run goes on until something is to be told.
func (q *Sequence) Run() Event {
	for {
		e := q.now().Run()
		if e != EventEnded || q.at+1 == len(q.Stages) || q.now().Err() != nil || !q.KeepGoing && failed(q.now()) {
			return e
		}
		if q.at++; len(q.first) < q.at {
			q.first = append(q.first, q.now().Save())
			continue
		}
		tick := q.Debug.Tick // an edit may have changed when the stage begins
		q.now().Restore(q.first[q.at-1])
		q.Debug.Tick = tick
	}
}

// failed says whether launches came to a fault.
func failed(s Stepping) bool {
	for _, r := range s.Results() {
		if len(r.Faults) > 0 {
			return true
		}
	}
	return false
}

// Resume lets the launches go on.
func (q *Sequence) Resume() { q.now().Resume() }

// Attend looks at a work-group in progress.
func (q *Sequence) Attend(launch int, pos uint64) bool {
	return launch >= q.base() && q.now().Attend(launch-q.base(), pos)
}

// Index returns the number of the launch that is looked at.
func (q *Sequence) Index() int { return q.base() + q.now().Index() }

// Launch returns it.
func (q *Sequence) Launch() *engine.Launch { return q.now().Launch() }

// WaveLanes returns the number of lanes of a whole wave.
func (q *Sequence) WaveLanes() int { return q.now().WaveLanes() }

// Group returns the work-group that is looked at.
func (q *Sequence) Group() (*engine.Group, bool) { return q.now().Group() }

// Position returns its position in the schedule of its launch.
func (q *Sequence) Position() uint64 { return q.now().Position() }

// Waves returns its waves.
func (q *Sequence) Waves() ([]engine.Debuggable, int) { return q.now().Waves() }

// Launches returns all launches.
func (q *Sequence) Launches() (list []*engine.Launch) {
	for _, s := range q.Stages {
		list = append(list, s.Launches()...)
	}
	return list
}

// InProgress returns the work-groups in progress.
func (q *Sequence) InProgress() []Progress {
	list := q.now().InProgress()
	for i := range list {
		list[i].Launch += q.base()
	}
	return list
}

// Over returns how many work-groups of a launch are over.
func (q *Sequence) Over(launch int) (over, all uint64) {
	s, n := q.of(launch)
	if over, all = s.Over(n); launch >= q.base()+len(q.now().Launches()) {
		over = 0 // the stage has ended once, and is to begin again
	}
	return over, all
}

// Results returns the results of the launches that have begun.
func (q *Sequence) Results() (list []*Result) {
	for _, s := range q.Stages[:q.at+1] {
		list = append(list, s.Results()...)
	}
	return list
}

// Output returns what was printed.
func (q *Sequence) Output() (out []byte) {
	if q.at == 0 {
		return q.now().Output()
	}
	for _, s := range q.Stages[:q.at+1] {
		out = append(out, s.Output()...)
	}
	return out
}

// Pipes returns the pipes of the stage that runs.
func (q *Sequence) Pipes() []*memory.Pipe { return q.now().Pipes() }

// PipeState says how a pipe is.
func (q *Sequence) PipeState(p *memory.Pipe) PipeState {
	st := q.now().PipeState(p)
	for i := range st.Ends {
		if st.Ends[i].Launch >= 0 {
			st.Ends[i].Launch += q.base()
		}
	}
	for i := range st.Open {
		st.Open[i].Owner.Launch += q.base()
	}
	return st
}

// Err returns why nothing can go on.
func (q *Sequence) Err() error { return q.now().Err() }

// Save returns the state.
func (q *Sequence) Save() *Saved {
	s := q.now().Save()
	s.stage, s.base = q.at, q.base()
	return s
}

// Restore puts a state back. Stages before the present one keep the state in which they ended: they are restored before
// they run again.
func (q *Sequence) Restore(s *Saved) {
	q.at = s.stage
	q.now().Restore(s)
}

// Close ends the launches.
func (q *Sequence) Close() {
	for _, s := range q.Stages {
		s.Close()
	}
}
