package groupcases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// draft is a case while it is made.
type draft struct {
	conformance.Case
	conformance.Launch // the only one
	module
	launch launch
	drawn  []uint64 // see choose
}

// newDraft begins a case with a kernel that has the id of its work-item in %gid.
func newDraft(name, title string, l launch, clauses ...string) *draft {
	d := &draft{launch: l}
	d.Name, d.Title, d.Clauses, d.Kernel = name, title, clauses, "test"
	d.Global, d.Local = []uint64{uint64(l.global)}, []uint64{uint64(l.local)}
	d.add(`%%gid3 = OpLoad %%v3ulong %%GlobalInvocationId
		%%gid = OpCompositeExtract %%ulong %%gid3 0`)
	return d
}

// in gives the kernel a buffer of values and loads the work-item's own as %name.
func (d *draft) in(name string, t scalar, v []uint64) {
	d.buffer(name+"_in", t, v)
	d.load(name, t, name+"_in", "%gid")
}

// buffer gives the kernel a buffer of values.
func (d *draft) buffer(name string, t scalar, v []uint64) {
	d.params = append(d.params, name+" gptr_"+t.stored().spirv)
	d.Args = append(d.Args, t.literals(v))
}

// load loads element index, an ulong, of a parameter.
func (d *draft) load(name string, t scalar, from, index string) {
	s := t.stored().spirv
	d.add(`%%%s_at = OpInBoundsPtrAccessChain %%gptr_%s %%%s %s`, name, s, from, index)
	if t.bits == 1 {
		d.add(`%%%s_word = OpLoad %%uint %%%[1]s_at Aligned 4
			%%%[1]s = OpINotEqual %%bool %%%[1]s_word %%uint_0`, name)
		return
	}
	d.add(`%%%[1]s = OpLoad %%%[2]s %%%[1]s_at Aligned %[3]d`, name, s, t.size())
}

// out gives the kernel a buffer of values, all 0, and returns its number for expect.
func (d *draft) out(name string, t scalar, n int) int {
	d.params = append(d.params, name+" gptr_"+t.stored().spirv)
	d.Args = append(d.Args, fmt.Sprintf("zero:%s:%d", t.stored().spec, n))
	return len(d.Args) - 1
}

// store stores %value as element slot × global size + work-item of a parameter.
func (d *draft) store(to string, t scalar, slot int, value string) {
	index := "%gid"
	if slot > 0 {
		index = fmt.Sprintf("%%%s_i%d", to, slot)
		d.add(`%s = OpIAdd %%ulong %%gid %%ulong_%d`, index, slot*d.launch.global)
	}
	s := t.stored().spirv
	d.add(`%%%[1]s_at%[2]d = OpInBoundsPtrAccessChain %%gptr_%[3]s %%%[1]s %[4]s`, to, slot, s, index)
	if t.bits == 1 {
		d.add(`%%%s_word%d = OpSelect %%uint %s %%uint_1 %%uint_0`, to, slot, value)
		value = fmt.Sprintf("%%%s_word%d", to, slot)
	}
	d.add(`OpStore %%%s_at%d %s Aligned %d`, to, slot, value, t.size())
}

// expect states what an argument holds at each sub-group size of the case.
func (d *draft) expect(arg int, t scalar, at func(size int) []uint64) {
	var what []conformance.Expect
	for _, size := range d.sizes() {
		text := t.literals(at(size))
		i := slices.IndexFunc(what, func(e conformance.Expect) bool { return e.What == text })
		if i < 0 {
			what = append(what, conformance.Expect{Arg: arg, What: text})
			i = len(what) - 1
		}
		what[i].SubGroups = append(what[i].SubGroups, size)
	}
	if len(what) == 1 {
		what[0].SubGroups = nil
	}
	d.Expect = append(d.Expect, what...)
}

// sizes are the sub-group sizes that the case is for.
func (d *draft) sizes() []int {
	if d.SubGroups != nil {
		return d.SubGroups
	}
	return sizes
}

// generated begins the comment of every case that this package makes.
const generated = "Made by conformance/internal/groupcases."

// texts is what the text of a finding must contain.
func texts(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// finish ends the kernel and returns the case.
func (d *draft) finish() *conformance.Case {
	d.add("OpReturn")
	switch {
	case d.Refuse != "":
		d.Exit = 2
	case d.Findings != nil:
		d.Exit = 1
	}
	d.Text = d.text()
	d.Steps = []conformance.Step{{Launches: []conformance.Launch{d.Launch}}}
	d.Comment = strings.TrimSpace(generated + "\n" + d.Comment)
	return &d.Case
}

// All returns the cases in the order of their names.
func All() []*conformance.Case {
	var out []*conformance.Case
	for _, family := range families {
		out = append(out, family()...)
	}
	slices.SortFunc(out, func(a, b *conformance.Case) int { return strings.Compare(a.Name, b.Name) })
	return out
}
