package main

import (
	"fmt"
	"regexp"
)

// scan is an operation of isa.OpScan: what combines two values, and the
// identity, each by element type.
type scan struct {
	name, expr, identity string
}

var intScans = []scan{
	{"Add", "acc + v", "0"},
	{"Mul", "acc * v", "1"},
	{"MinS", "{U}(min({S}(acc), {S}(v)))", "1<<{M} - 1"},
	{"MaxS", "{U}(max({S}(acc), {S}(v)))", "1 << {M}"},
	{"MinU", "min(acc, v)", "1<<{W} - 1"},
	{"MaxU", "max(acc, v)", "0"},
	{"And", "acc & v", "1<<{W} - 1"},
	{"Or", "acc | v", "0"},
	{"Xor", "acc ^ v", "0"},
}

var floatScans = []scan{
	{"FAdd", "acc + v", "0"},
	{"FMul", "{U}(acc * v)", "1"},
	{"FMin", "fmin(acc, v)", "{U}(math.Inf(1))"},
	{"FMax", "fmax(acc, v)", "{U}(math.Inf(-1))"},
}

var halfScans = []scan{
	{"FAdd", "addF16(acc, v)", "0"},
	{"FMul", "mulF16(acc, v)", "0x3c00"},
	{"FMin", "minF16(acc, v)", "0x7c00"},
	{"FMax", "maxF16(acc, v)", "0xfc00"},
}

// operand matches the names of a step's operands.
var operand = regexp.MustCompile(`\b(acc|v)\b`)

// genScan writes the loops of scans and reductions over consecutive elements.
func genScan() error {
	f := &file{name: "zz_scan.go"}
	table := map[string][]elem{}
	var order []scan
	emit := func(s scan, e elem) {
		if len(table[s.name]) == 0 {
			order = append(order, s)
		}
		table[s.name] = append(table[s.name], e)
		step, name := subst(s.expr, e, nil), s.name+e.isa
		quiet := func(x string) string {
			if s.name[0] == 'F' {
				return fmt.Sprintf("quiet%d(%s)", e.bits, x)
			}
			return x
		}
		f.p("func reduce%s(x []%s) %s {\nacc := x[0]\nfor _, v := range x[1:] {\nacc = %s\n}\nreturn %s\n}\n", name, e.u, e.u, step, quiet("acc"))
		// Four chains of dependent operations take the time of one.
		f.p("func fold%s(r0, r1, r2, r3 %s, x0, x1, x2, x3 []%s) (_, _, _, _ %s) {\nx1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]\nfor i, v := range x0 {", name, e.u, e.u, e.u)
		for i, v := range []string{"v", "x1[i]", "x2[i]", "x3[i]"} {
			acc := fmt.Sprintf("r%d", i)
			f.p("%s = %s", acc, operand.ReplaceAllStringFunc(step, func(w string) string { return map[string]string{"acc": acc, "v": v}[w] }))
		}
		f.p("}\nreturn %s, %s, %s, %s\n}\n", quiet("r0"), quiet("r1"), quiet("r2"), quiet("r3"))
		f.p("func inclusive%s(d, x []%s) {\nacc := x[0]\nd = d[:len(x)]\nd[0] = %s\nfor i := 1; i < len(x); i++ {\nv := x[i]\nacc = %s\nd[i] = %s\n}\n}\n",
			name, e.u, quiet("acc"), step, quiet("acc"))
		f.p("func exclusive%s(d, x []%s, identity %s) {\nacc := x[0]\nd = d[:len(x)]\nd[0] = identity\nfor i := 1; i < len(x); i++ {\nv := x[i]\nd[i] = %s\nacc = %s\n}\n}\n",
			name, e.u, e.u, quiet("acc"), step)
	}
	for _, s := range intScans {
		for _, e := range ints {
			emit(s, e)
		}
	}
	for i, s := range floatScans {
		emit(halfScans[i], half)
		for _, e := range floats {
			emit(s, e)
		}
	}
	f.p("// scanTable has the scans by operation and type.")
	f.p("var scanTable = [isa.NumScanOps][isa.F64 + 1]opFunc{")
	for _, s := range order {
		f.p("isa.Scan%s: {", s.name)
		for _, e := range table[s.name] {
			identity := s.identity
			if s.name[0] == 'F' {
				identity = floatIdentity(s.name, e)
			}
			f.p("isa.%s: scanner(&scanFuncs[%s]{%s, reduce%s%s, fold%s%s, inclusive%s%s, exclusive%s%s}),",
				e.isa, e.u, subst(identity, e, nil), s.name, e.isa, s.name, e.isa, s.name, e.isa, s.name, e.isa)
		}
		f.p("},")
	}
	f.p("}\n")
	return f.write(imports("math", "github.com/lockstep-gpu/lockstep/isa"))
}

func floatIdentity(name string, e elem) string {
	list := floatScans
	if e.bits == 16 {
		list = halfScans
	}
	for _, s := range list {
		if s.name == name {
			return s.identity
		}
	}
	return "0"
}
