package debug

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Errors about several launches.
var (
	ErrNoKernel = errors.New("no such kernel")
	ErrNoGroup  = errors.New("no such work-group is in progress")
)

// code is what is known of a kernel's code, for all launches of the kernel.
type code struct {
	program *isa.Program
	kernel  *isa.Kernel
	info    *info
	storing []bool                // by block: it may change memory
	blocks  []bool                // by block, for engine.Debug
	at      map[int][]*Breakpoint // by instruction
}

// groupID names a work-group: its launch, and its position in the launch's schedule.
type groupID struct {
	launch int
	pos    uint64
}

// loadCodes reads the code of all launches.
func (s *Session) loadCodes() {
	for _, l := range s.stepper.Launches() {
		c := s.codeOf(l.Kernel)
		if c == nil {
			c = &code{program: l.Program, kernel: l.Kernel, info: newInfo(l.Program, l.Kernel), storing: storingBlocks(l.Kernel),
				blocks: make([]bool, len(l.Kernel.Blocks)), at: map[int][]*Breakpoint{}}
		}
		s.codes = append(s.codes, c)
	}
	s.code = s.codes[s.stepper.Index()]
	s.d.Blocks = s.code.blocks
}

// codeOf returns the code of a kernel of a launch before, or nil.
func (s *Session) codeOf(k *isa.Kernel) *code {
	for _, c := range s.codes {
		if c.kernel == k {
			return c
		}
	}
	return nil
}

// attend looks at the work-group of the stepper.
func (s *Session) attend() {
	s.waves, s.turn = s.stepper.Waves()
	s.code = s.codes[s.stepper.Index()]
	s.d.Blocks = s.code.blocks
}

// attendRunning looks at the work-group whose turn it is, which others may have been looked at beside.
func (s *Session) attendRunning() {
	for _, p := range s.stepper.InProgress() {
		if p.Turn {
			s.stepper.Attend(p.Launch, p.Group.Position)
		}
	}
	s.attend()
}

// running names the work-group that is looked at.
func (s *Session) running() groupID { return groupID{s.stepper.Index(), s.stepper.Position()} }

// inProgress says whether a work-group is.
func (s *Session) inProgress(id groupID) bool {
	for _, p := range s.stepper.InProgress() {
		if p.Launch == id.launch && p.Group.Position == id.pos {
			return true
		}
	}
	return false
}

// within calls f while a work-group is looked at.
func (s *Session) within(id groupID, f func()) {
	before := s.running()
	if id != before && !s.stepper.Attend(id.launch, id.pos) {
		return
	}
	s.attend()
	f()
	if id != before && s.stepper.Attend(before.launch, before.pos) {
		s.attend()
	}
}

// LaunchState is a launch of a session.
type LaunchState struct {
	Number    int
	Label     string // the kernel's name, with "#1" and so on where several launches are of it
	Over, All uint64 // work-groups
	// Groups are the work-groups in progress.
	Groups []GroupState
	Looked bool // one of its work-groups is looked at
}

// GroupState is a work-group in progress.
type GroupState struct {
	ID   [3]uint64
	Turn bool // it has its turn
	Pos  uint64
	// Looked says that it is looked at.
	Looked bool
	Waves  int
}

// Launches returns the launches of the session, in their order.
func (s *Session) Launches() (list []LaunchState) {
	at, any := s.running(), len(s.waves) > 0
	for i := range s.stepper.Launches() {
		l := LaunchState{Number: i, Label: s.launch.Label(i), Looked: any && i == at.launch}
		l.Over, l.All = s.stepper.Over(i)
		list = append(list, l)
	}
	if s.ended {
		return list
	}
	for _, p := range s.stepper.InProgress() {
		l := &list[p.Launch]
		id := groupID{p.Launch, p.Group.Position}
		g := GroupState{ID: p.Group.ID, Turn: p.Turn, Pos: id.pos, Looked: any && at == id}
		s.within(id, func() { g.Waves = len(s.waves) })
		l.Groups = append(l.Groups, g)
	}
	return list
}

// Several says whether the session has more than one launch.
func (s *Session) Several() bool { return len(s.codes) > 1 }

// Label names a launch, by its number; see LaunchState.
func (s *Session) Label(launch int) string { return s.launch.Label(launch) }

// PlaceIn returns where in the source an instruction of a launch's kernel comes from.
func (s *Session) PlaceIn(launch, pc int) Place {
	if launch < 0 || launch >= len(s.codes) || pc < 0 || pc >= len(s.codes[launch].kernel.Code) {
		return Place{}
	}
	c := s.codes[launch]
	return c.info.placeAt(c.kernel.Code[pc].Loc)
}

// CurrentLaunch returns the number of the launch that is looked at.
func (s *Session) CurrentLaunch() int { return s.stepper.Index() }

// SelectGroup looks at a work-group in progress, by the number of its launch and its id; nil is the launch's
// first.
func (s *Session) SelectGroup(launch int, id *[3]uint64) error {
	if launch < 0 || launch >= len(s.codes) {
		return fmt.Errorf("launch %d of %d: %w", launch, len(s.codes), ErrNoKernel)
	}
	for _, p := range s.stepper.InProgress() {
		if p.Launch != launch || id != nil && p.Group.ID != *id || s.ended {
			continue
		}
		s.stepper.Attend(launch, p.Group.Position)
		s.attend()
		s.item, s.frame = 0, 0
		if s.turn >= 0 {
			s.item = s.firstActive(s.turn)
		}
		return nil
	}
	return fmt.Errorf("kernel %s: %w", s.Label(launch), ErrNoGroup)
}

// FindLaunch returns the number of a launch by its label, the kernel's name or its number.
func (s *Session) FindLaunch(name string) (int, error) {
	best := -1
	for i := range s.codes {
		switch label := s.Label(i); {
		case label == name || fmt.Sprint(i) == name:
			return i, nil
		case best < 0 && s.codes[i].kernel.Name == name:
			best = i
		}
	}
	if best < 0 {
		var labels []string
		for i := range s.codes {
			labels = append(labels, s.Label(i))
		}
		return 0, fmt.Errorf("%q: %w; there are %s", name, ErrNoKernel, strings.Join(labels, ", "))
	}
	return best, nil
}

// eachCode calls f for the code of each kernel, that of the launch that is looked at first, while it is the
// one that is looked at.
func (s *Session) eachCode(f func()) {
	now := s.code
	defer func() { s.code = now }()
	f()
	for i, c := range s.codes {
		if c != now && slices.Index(s.codes, c) == i {
			s.code = c
			f()
		}
	}
}
