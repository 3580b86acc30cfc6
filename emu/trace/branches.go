package trace

// Limits of the tree of branches: what does not fit is left out.
const (
	maxBranches    = 400
	maxBranchDepth = 40
)

// Branch is a stretch that the same lanes of a sub-group run together. Its children run with some of these lanes only,
// in their order. A stretch that runs again with the same lanes, as in a loop, is one branch.
type Branch struct {
	File         string
	First, Last  uint32 // lines; 0 where they are not known
	Active       [2]uint64
	Times        uint64 // how often it began
	Instructions uint64 // that were issued, without those of children
	Children     []*Branch
	Cut          bool // children are left out

	start int // the instruction at which it began
}

// branchLog makes the tree of the first sub-group of the first work-group.
type branchLog struct {
	root   *Branch
	stack  []*Branch // from the root to the branch that runs
	count  int
	closed bool // the work-group is over
}

// beginBranches notes that a work-group begins.
func (r *Recorder) beginBranches() {
	if l := r.subgroups; l != nil {
		l.branches.closed = l.branches.closed || l.branches.root != nil
	}
}

// noteBranch notes that lanes of a sub-group enter a block.
func (r *Recorder) noteBranch(start, end, first int, active [2]uint64) {
	l := r.subgroups
	if l == nil || first != 0 || r.launch != 0 || l.branches.closed {
		return
	}
	b := &l.branches
	if b.root == nil {
		b.root = &Branch{Active: active, start: start}
		b.stack = []*Branch{b.root}
		b.count = 1
	}
	for len(b.stack) > 1 && !within(active, b.stack[len(b.stack)-1].Active) {
		b.stack = b.stack[:len(b.stack)-1]
	}
	at := b.stack[len(b.stack)-1]
	if at.Active != active { // the root has all lanes that there are
		at = b.child(at, start, active)
	}
	if at.start == start || at.Times == 0 {
		at.Times++
	}
	at.Instructions += uint64(end - start)
	for pc := start; pc < end; pc++ {
		if p := r.place(0, pc); p.Line > 0 && (at.File == "" || at.File == p.File) {
			at.File = p.File
			if at.First == 0 || p.Line < at.First {
				at.First = p.Line
			}
			at.Last = max(at.Last, p.Line)
		}
	}
}

// child returns the branch below another one that begins at an instruction with these lanes, and goes there.
func (b *branchLog) child(at *Branch, start int, active [2]uint64) *Branch {
	for _, c := range at.Children {
		if c.start == start && c.Active == active {
			b.stack = append(b.stack, c)
			return c
		}
	}
	if b.count == maxBranches || len(b.stack) == maxBranchDepth {
		at.Cut = true
		return &Branch{}
	}
	c := &Branch{Active: active, start: start}
	at.Children = append(at.Children, c)
	b.stack = append(b.stack, c)
	b.count++
	return c
}

// within says whether all lanes of a are lanes of b.
func within(a, b [2]uint64) bool { return a[0]&^b[0] == 0 && a[1]&^b[1] == 0 }

// Branches returns how the lanes of the first sub-group of the first launch parted: nil where it did not run. The
// recorder must have been made with [Options].Subgroups.
func (r *Recorder) Branches() *Branch {
	if r.subgroups == nil {
		return nil
	}
	return r.subgroups.branches.root
}
