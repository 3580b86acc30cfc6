package main

import (
	"fmt"
	"regexp"
)

// scan is an operation of isa.OpScan: what combines two values, and the
// identity, each by element type. If it matters in which order a reduction combines
// them, neutral is what changes nothing at all.
type scan struct {
	name, expr, identity, neutral string
}

var intScans = []scan{
	{"Add", "acc + v", "0", ""},
	{"Mul", "acc * v", "1", ""},
	{"MinS", "{U}(min({S}(acc), {S}(v)))", "1<<{M} - 1", ""},
	{"MaxS", "{U}(max({S}(acc), {S}(v)))", "1 << {M}", ""},
	{"MinU", "min(acc, v)", "1<<{W} - 1", ""},
	{"MaxU", "max(acc, v)", "0", ""},
	{"And", "acc & v", "1<<{W} - 1", ""},
	{"Or", "acc | v", "0", ""},
	{"Xor", "acc ^ v", "0", ""},
}

var floatScans = []scan{
	{"FAdd", "acc + v", "0", "{U}(math.Copysign(0, -1))"},
	{"FMul", "{U}(acc * v)", "1", "1"},
	{"FMin", "fmin(acc, v)", "{U}(math.Inf(1))", ""},
	{"FMax", "fmax(acc, v)", "{U}(math.Inf(-1))", ""},
}

var halfScans = []scan{
	{"FAdd", "addF16(acc, v)", "0", "0x8000"},
	{"FMul", "mulF16(acc, v)", "0x3c00", "0x3c00"},
	{"FMin", "minF16(acc, v)", "0x7c00", ""},
	{"FMax", "maxF16(acc, v)", "0xfc00", ""},
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
		named := func(acc, v string) string {
			return operand.ReplaceAllStringFunc(step, func(w string) string { return map[string]string{"acc": acc, "v": v}[w] })
		}
		if s.neutral != "" {
			// By four, as loops this short are mostly their own overhead.
			half := func(i string) string { return fmt.Sprintf("d[%s] = %s\n", i, named("x["+i+"]", "y["+i+"]")) }
			f.p("func halve%s(d, x []%s) %s {\nfor n := len(x) / 2; n > 0; n /= 2 {\ny := x[n:][:n]\nd, x = d[:n], x[:n]\n", name, e.u, e.u)
			f.p("i := 0\nfor ; i+4 <= n; i += 4 {\n%s}\nfor ; i < n; i++ {\n%s}\nx = d\n}\nreturn %s\n}\n", half("i")+half("i+1")+half("i+2")+half("i+3"), half("i"), quiet("x[0]"))
		} else {
			f.p("func reduce%s(x []%s) %s {\nacc := x[0]\nfor _, v := range x[1:] {\nacc = %s\n}\nreturn %s\n}\n", name, e.u, e.u, step, quiet("acc"))
			// Four chains of dependent operations take the time of one.
			f.p("func fold%s(r0, r1, r2, r3 %s, x0, x1, x2, x3 []%s) (_, _, _, _ %s) {\nx1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]\nfor i, v := range x0 {", name, e.u, e.u, e.u)
			for i, v := range []string{"v", "x1[i]", "x2[i]", "x3[i]"} {
				acc := fmt.Sprintf("r%d", i)
				f.p("%s = %s", acc, named(acc, v))
			}
			f.p("}\nreturn %s, %s, %s, %s\n}\n", quiet("r0"), quiet("r1"), quiet("r2"), quiet("r3"))
		}
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
			identity, neutral := s.identity, s.neutral
			if s.name[0] == 'F' {
				identity, neutral = floatIdentity(s.name, e)
			}
			reduce := fmt.Sprintf("reduce: reduce%[1]s, fold: fold%[1]s", s.name+e.isa)
			if neutral != "" {
				reduce = fmt.Sprintf("halve: halve%s, neutral: %s", s.name+e.isa, subst(neutral, e, nil))
			}
			f.p("isa.%[1]s: scanner(&scanFuncs[%[2]s]{identity: %[3]s, %[4]s, inclusive: inclusive%[5]s, exclusive: exclusive%[5]s}),",
				e.isa, e.u, subst(identity, e, nil), reduce, s.name+e.isa)
		}
		f.p("},")
	}
	f.p("}\n")
	return f.write(imports("math", "github.com/lockstep-gpu/lockstep/isa"))
}

func floatIdentity(name string, e elem) (identity, neutral string) {
	list := floatScans
	if e.bits == 16 {
		list = halfScans
	}
	for _, s := range list {
		if s.name == name {
			return s.identity, s.neutral
		}
	}
	return "0", ""
}
