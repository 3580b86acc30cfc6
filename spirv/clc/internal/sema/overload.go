package sema

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Overloaded functions are chosen as C++ does, with the conversions of OpenCL C: for each argument, a
// candidate's parameter is as good as the rank of the conversion to it, and the call goes to the candidate
// that is worse for no argument than any other one, and better for one.

// rank orders conversions, the best first.
type rank uint8

const (
	exactRank        rank = iota
	promotionRank         // char to int, float to double
	conversionRank        // between numbers; pointers to pointers to void
	wideningRank          // a number to a vector
	assignRank            // what C converts and C++ does not: pointers to void to other pointers
	incompatibleRank      // what C converts with a warning
	noRank
)

// conversion is how an argument becomes a parameter.
type conversion struct {
	rank rank
	same bool // nothing is to be done
	// qualified says that qualifiers or the address space of a pointee change, and nothing else does beside what
	// rank says.
	qualified bool
	toBool    bool // a pointer to bool
	toVoid    bool // a pointer to a pointer to void
	to        types.Qual
}

// convertsTo returns how a value becomes a parameter of type to.
func (c *Checker) convertsTo(x tree.Expr, to types.Qual) conversion {
	from := x.Info().Type.Type
	t := to.Type
	v := conversion{rank: noRank, to: to}
	switch {
	case from == t:
		v.rank, v.same = exactRank, true
	case from.IsArithmetic() && t.IsArithmetic():
		v.rank = conversionRank
		switch {
		case from.IsInteger() && (from.Kind < types.IntKind ||
			from.Kind == types.EnumKind) && c.promotedType(from) == t,
			from.Kind == types.FloatKind && t.Kind == types.DoubleKind:
			v.rank = promotionRank
		case from.IsInteger() && t == c.Types.Int:
			if n, field := bitField(x); field && n < 32 {
				v.rank = promotionRank
			}
		}
	case t.IsVector():
		if from.IsArithmetic() {
			v.rank = wideningRank
		}
	case t.IsPointer():
		c.pointerConversion(x, from, t, &v)
	case t.Kind == types.BoolKind && from.IsPointer():
		v.rank, v.toBool = conversionRank, true
	default:
		switch how, _ := c.fit(Passing, t, x); how {
		case zeroEvent:
			v.rank = exactRank
		case intSampler:
			if _, ok := c.FoldInt(x); ok {
				v.rank = conversionRank
			}
		case sameStruct:
			v.rank = conversionRank
		}
	}
	return v
}

func (c *Checker) pointerConversion(x tree.Expr, from, t *types.Type, v *conversion) {
	if !from.IsPointer() {
		if from.IsInteger() && c.isNull(x) {
			v.rank = conversionRank
		}
		return
	}
	if c.nullPointer(x) {
		v.rank = conversionRank
		return
	}
	fit := c.pointerFit(from.Elem, t.Elem)
	switch fit {
	case otherSpace, nestedSpace:
		return
	case fits:
	default:
		v.rank = incompatibleRank
		return
	}
	switch {
	case from.Elem.Kind == t.Elem.Kind || t.Elem.Kind != types.VoidKind && from.Elem.Kind != types.VoidKind:
		v.rank, v.qualified = exactRank, true
	case t.Elem.Kind == types.VoidKind:
		v.rank, v.toVoid = conversionRank, true
		v.qualified = from.Elem.Q&^types.Explicit != t.Elem.Q&^types.Explicit
	default:
		v.rank = assignRank
	}
}

// better compares two conversions of one argument: negative if a is better, positive if b is.
func (c *Checker) better(a, b *conversion) int {
	switch {
	case a.same != b.same:
		// Nothing is better than anything, even than what has the same rank.
		if a.same {
			return -1
		}
		return 1
	case a.rank != b.rank:
		return int(a.rank) - int(b.rank)
	case a.toBool != b.toBool:
		if a.toBool {
			return 1
		}
		return -1
	case a.toVoid != b.toVoid:
		if a.toVoid {
			return 1
		}
		return -1
	case a.toVoid && a.qualified != b.qualified:
		if b.qualified {
			return -1
		}
		return 1
	case a.qualified && b.qualified && a.to.Type != b.to.Type:
		p, q := a.to.Elem, b.to.Elem
		ab, ba := qualifiesTo(p, q), qualifiesTo(q, p)
		switch {
		case ab && !ba:
			return -1
		case ba && !ab:
			return 1
		}
	}
	return 0
}

// qualifiesTo reports whether a pointee a can become b by more qualifiers or a larger address space.
func qualifiesTo(a, b types.Qual) bool {
	return includes(b.Space(), a.Space()) && a.Q.CVR()&^b.Q.CVR() == 0
}

// candidate is a function that a call may mean.
type candidate struct {
	fn       *tree.Func
	sig      *builtin.Sig
	params   []types.Qual
	variadic bool
}

func (c *Checker) funcCandidate(f *tree.Func) candidate {
	return candidate{fn: f, params: f.Type.Params, variadic: f.Type.Variadic}
}

func sigCandidate(s *builtin.Sig) candidate {
	return candidate{sig: s, params: s.Params, variadic: s.Variadic}
}

// takes reports whether a candidate has as many parameters as there are arguments.
func (d *candidate) takes(n int) bool {
	return len(d.params) == n || d.variadic && n > len(d.params)
}

// sound leaves out the candidates that take an argument by a conversion that C allows with a warning only, such as
// between pointers to different types, unless all do.
func sound(cands []candidate, viable []int, convs []conversion, n int) ([]int, []conversion) {
	return only(viable, convs, n, func(k int) bool {
		for i := range min(n, len(cands[viable[k]].params)) {
			if convs[k*n+i].rank == incompatibleRank {
				return false
			}
		}
		return true
	})
}

// primary leaves out the candidates of rows that are Secondary, unless all are.
func primary(cands []candidate, viable []int, convs []conversion, n int) ([]int, []conversion) {
	return only(viable, convs, n, func(k int) bool {
		sig := cands[viable[k]].sig
		return sig == nil || !sig.Def.Secondary
	})
}

// only leaves out the candidates that are not good, unless none is. Candidate k is viable[k]; its n conversions
// begin at convs[k*n].
func only(viable []int, convs []conversion, n int, good func(k int) bool) ([]int, []conversion) {
	var list []int
	var kept []conversion
	for k := range viable {
		if good(k) {
			list = append(list, viable[k])
			kept = append(kept, convs[k*n:k*n+n]...)
		}
	}
	if len(list) == 0 || len(list) == len(viable) {
		return viable, convs
	}
	return list, kept
}

// resolve returns the candidate that a call means, -1 after it has said why there is none.
func (c *Checker) resolve(name string, pos source.Pos, cands []candidate, args []tree.Expr) int {
	for k := range cands {
		if cands[k].exact(args) {
			return k
		}
	}
	// Conversions are computed once for each candidate: viable has the candidates that take the arguments.
	var viable []int
	convs := make([]conversion, 0, 8*len(args))
	for k := range cands {
		if !cands[k].takes(len(args)) {
			continue
		}
		ok := true
		mark := len(convs)
		for i, x := range args {
			if i >= len(cands[k].params) {
				convs = append(convs, conversion{rank: noRank})
				continue
			}
			v := c.convertsTo(x, cands[k].params[i])
			if v.rank == noRank {
				ok = false
				break
			}
			convs = append(convs, v)
		}
		if !ok {
			convs = convs[:mark]
			continue
		}
		viable = append(viable, k)
	}
	if len(viable) == 0 {
		c.noCandidate(name, pos, cands, args)
		return -1
	}
	n := len(args)
	viable, convs = sound(cands, viable, convs, n)
	viable, convs = primary(cands, viable, convs, n)
	best := 0
	for k := 1; k < len(viable); k++ {
		if c.beats(convs[k*n:k*n+n], convs[best*n:best*n+n]) {
			best = k
		}
	}
	for k := range viable {
		if k != best && !c.beats(convs[best*n:best*n+n], convs[k*n:k*n+n]) {
			if a, b := &cands[viable[best]], &cands[viable[k]]; sameTypes(a, b) {
				// A function of the program stands before a built-in one.
				if a.fn == nil && b.fn != nil {
					best = k
				}
				continue
			}
			c.ambiguous(name, pos, cands, viable, convs, best, args)
			return -1
		}
	}
	return viable[best]
}

func sameTypes(a, b *candidate) bool {
	if len(a.params) != len(b.params) {
		return false
	}
	for i := range a.params {
		if a.params[i].Type != b.params[i].Type {
			return false
		}
	}
	return true
}

// exact reports whether a candidate's parameters have the arguments' types.
func (d *candidate) exact(args []tree.Expr) bool {
	if len(d.params) != len(args) {
		return false
	}
	for i, x := range args {
		if x.Info().Type.Type != d.params[i].Type {
			return false
		}
	}
	return true
}

// beats reports whether conversions a are worse for no argument than b, and better for one.
func (c *Checker) beats(a, b []conversion) bool {
	won := false
	// What C takes with a warning is worse than anything else, whatever the other arguments are.
	for i := range a {
		if bad := a[i].rank == incompatibleRank; bad != (b[i].rank == incompatibleRank) {
			if bad {
				return false
			}
			won = true
		}
	}
	if won {
		return true
	}
	for i := range a {
		switch n := c.better(&a[i], &b[i]); {
		case n > 0:
			return false
		case n < 0:
			won = true
		}
	}
	return won
}

// maxCandidates is the number of candidates that a message lists.
const maxCandidates = 8

// argTypeList writes the types of arguments.
func argTypeList(args []tree.Expr) string {
	s := ""
	for i, x := range args {
		if i > 0 {
			s += ", "
		}
		s += x.Info().Type.String()
	}
	return s
}

func (d *candidate) String() string {
	s := ""
	for i, p := range d.params {
		if i > 0 {
			s += ", "
		}
		s += p.String()
	}
	if d.variadic {
		s += ", ..."
	}
	return s
}

func rangeArgs(d *diag.Diagnostic, args []tree.Expr) {
	for _, x := range args {
		i := x.Info()
		d.Range(i.From, i.To)
	}
}

// noCandidate says that no candidate takes the arguments, and why.
func (c *Checker) noCandidate(name string, pos source.Pos, cands []candidate, args []tree.Expr) {
	d := c.Diags.Errorf(pos, "no function '%s' takes (%s)", name, argTypeList(args))
	if d == nil {
		return
	}
	rangeArgs(d, args)
	// Those that fail for the last argument come first: they are the most likely ones.
	type miss struct {
		arg, index int
		why        string
	}
	var list []miss
	for k := range cands {
		e := &cands[k]
		if !e.takes(len(args)) {
			list = append(list, miss{-1, k, fmt.Sprintf("it takes %s, but there are %d", count(len(e.params)),
				len(args))})
			continue
		}
		for i, x := range args {
			if i < len(e.params) && c.convertsTo(x, e.params[i]).rank == noRank {
				list = append(list, miss{i, k, fmt.Sprintf("argument %d is '%s', not '%s'", i+1, x.Info().Type,
					e.params[i])})
				break
			}
		}
	}
	shown := 0
	for want := len(args) - 1; want >= -1 && shown < maxCandidates; want-- {
		for _, m := range list {
			if m.arg == want && shown < maxCandidates {
				c.noteCandidate(d, pos, name, &cands[m.index], m.why)
				shown++
			}
		}
	}
	if len(list) > shown {
		d.Note(pos, "%d more candidates are not shown", len(list)-shown)
	}
}

// count writes how many arguments there are.
func count(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func (c *Checker) noteCandidate(d *diag.Diagnostic, pos source.Pos, name string, e *candidate, why string) {
	if e.fn != nil && e.fn.Pos != 0 {
		pos = e.fn.Pos
	}
	if why != "" {
		why = ": " + why
	}
	d.Note(pos, "candidate %s(%s)%s", name, e, why)
}

// ambiguous says that several candidates are as good as each other.
func (c *Checker) ambiguous(name string, pos source.Pos, cands []candidate, viable []int, convs []conversion,
	best int,
	args []tree.Expr) {
	d := c.Diags.Errorf(pos, "the call of '%s' with (%s) is ambiguous", name, argTypeList(args))
	if d == nil {
		return
	}
	rangeArgs(d, args)
	n := len(args)
	shown, left := 0, 0
	for k := range viable {
		// Candidates that are beaten by the best of the others are of no interest.
		if k != best && c.beats(convs[best*n:best*n+n], convs[k*n:k*n+n]) {
			continue
		}
		if shown == maxCandidates {
			left++
			continue
		}
		shown++
		c.noteCandidate(d, pos, name, &cands[viable[k]], "")
	}
	if left > 0 {
		d.Note(pos, "%d more candidates are not shown", left)
	}
	d.Note(pos, "a cast of an argument chooses one of them")
}
