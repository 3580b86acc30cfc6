package debug

import (
	"math"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// LaneState says what a lane does.
type LaneState = engine.LaneState

// The states of lanes.
const (
	LaneActive  = engine.LaneActive  // executes the next instruction of the wave
	LaneWaits   = engine.LaneWaits   // waits at the start of a block until the wave runs it
	LaneBarrier = engine.LaneBarrier // waits at a barrier
	LanePipe    = engine.LanePipe    // waits at a pipe
	LaneHeld    = engine.LaneHeld    // is kept back behind a barrier that has a schedule
	LaneEnded   = engine.LaneEnded
)

// Cell is an expression's value for a work-item.
type Cell struct {
	Item  Item
	Text  string // of the value; "" for none
	Value Value
	Err   error // why there is none
	// Differs says that more work-items have another value, which several have.
	Differs bool
}

// Grid is an expression for all work-items of the work-group that runs, in their order.
type Grid struct {
	Size  [3]uint32 // of the group
	Cells []Cell
	// Most is the text of the value that most work-items have, the first of those that as many have, and
	// Count how many.
	Most  string
	Count int
}

// All evaluates an expression for all work-items of the group: each at its own place, in the innermost
// function in which its names mean something. Arrays are shown by most elements at most.
func (s *Session) All(text string, most int) (Grid, error) {
	tree, err := parseExpression(s.info, text)
	if err != nil {
		return Grid{}, err
	}
	g, ok := s.stepper.Group()
	if !ok || s.ended {
		return Grid{}, ErrEnded
	}
	grid := Grid{Size: g.Size}
	counts := map[string]int{}
	names, wrong := uint32(math.MaxUint32), error(nil) // where the names were looked up last
	for i := range s.items() {
		c := Cell{Item: s.Item(i)}
		frames := s.FramesOf(i)
		c.Err = ErrEnded
		for _, f := range frames {
			if f.loc != names {
				names, wrong = f.loc, s.checkNames(tree, f.loc)
			}
			if c.Err = wrong; c.Err != nil {
				continue
			}
			v := evaluation{s: s, item: i, loc: f.loc, frame: f.at}
			v.w, _, v.lane = s.waveOf(i)
			if c.Value, c.Err = v.eval(tree); c.Err == nil {
				break
			}
		}
		if all, _ := c.Value.Lost(); all && c.Err == nil {
			c.Err = ErrOptimizedOut
		}
		if c.Err == nil {
			c.Text = s.Text(c.Value, most)
			counts[c.Text]++
		}
		grid.Cells = append(grid.Cells, c)
	}
	for i := range grid.Cells {
		if c := &grid.Cells[i]; c.Err == nil && counts[c.Text] > grid.Count {
			grid.Most, grid.Count = c.Text, counts[c.Text]
		}
	}
	for i := range grid.Cells {
		c := &grid.Cells[i]
		c.Differs = c.Err == nil && c.Text != grid.Most && grid.Count > 1
	}
	return grid, nil
}

// WaveState is what a wave of the work-group that runs does.
type WaveState struct {
	Number       int
	First, Lanes int // work-items in the group
	Next         int // the instruction that it issues next; -1 when no lane can run
	Turn         bool
	Active       []bool // by lane
	State        []engine.LaneState
	PC           []int // by lane; -1 for those that have ended
}

// Waves returns the waves of the work-group that runs.
func (s *Session) Waves() (list []WaveState) {
	for i, w := range s.waves {
		x := WaveState{Number: i, Next: w.Next(), Turn: i == s.turn}
		x.First, x.Lanes = w.Items()
		for lane := range x.Lanes {
			state, pc := w.Lane(lane)
			x.State, x.PC, x.Active = append(x.State, state), append(x.PC, pc), append(x.Active, state == engine.LaneActive)
		}
		list = append(list, x)
	}
	return list
}

// BarrierWait is a barrier at which work-items of the work-group wait.
type BarrierWait struct {
	PC      int
	Scope   isa.Scope // of a sub-group or the work-group
	Items   []int     // that wait, by number in the group
	Missing []int     // that have not come and have not ended
}

// Barriers returns who waits at which barrier, by instruction.
func (s *Session) Barriers() (list []BarrierWait) {
	by := map[int]int{}
	var missing []int
	for _, w := range s.waves {
		first, n := w.Items()
		for lane := range n {
			switch state, pc := w.Lane(lane); state {
			case engine.LaneBarrier, engine.LaneHeld:
				at, ok := by[pc]
				if !ok {
					at = len(list)
					by[pc] = at
					list = append(list, BarrierWait{PC: pc, Scope: isa.Scope(s.kernel.Code[pc].Imm2)})
				}
				list[at].Items = append(list[at].Items, first+lane)
			case engine.LaneEnded:
			default:
				missing = append(missing, first+lane)
			}
		}
	}
	for i := range list {
		list[i].Missing = append(list[i].Missing, missing...)
		for j := range list {
			if i != j {
				list[i].Missing = append(list[i].Missing, list[j].Items...)
			}
		}
	}
	return list
}

// Copies returns the asynchronous copies of the work-group that are in flight, and the async marks that it
// remembers.
func (s *Session) Copies() ([]dma.Transfer, []dma.OutstandingMark) {
	g, ok := s.stepper.Group()
	if !ok || s.ended || g.DMA == nil {
		return nil, nil
	}
	return g.DMA.Outstanding(), g.DMA.Marks()
}
