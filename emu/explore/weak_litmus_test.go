package explore

import (
	"fmt"
	"slices"
	"strings"
)

// Where the verdicts of the litmus tests are published.
const (
	batty11   = "M. Batty, S. Owens, S. Sarkar, P. Sewell and T. Weber, Mathematizing C++ Concurrency, POPL 2011"
	maranget  = "L. Maranget, S. Sarkar and P. Sewell, A Tutorial Introduction to the ARM and POWER Relaxed Memory Models, 2012"
	herding   = "J. Alglave, L. Maranget and M. Tautschnig, Herding Cats, TOPLAS 2014"
	alglave15 = "J. Alglave et al., GPU Concurrency: Weak Behaviours and Programming Assumptions, ASPLOS 2015"
	batty16   = "M. Batty, A. Donaldson and J. Wickerson, Overhauling SC Atomics in C11 and OpenCL, POPL 2016"
	kang17    = "J. Kang, C. Hur, O. Lahav, V. Vafeiadis and D. Dreyer, A Promising Semantics for Relaxed-Memory Concurrency, POPL 2017"
	lahav17   = "O. Lahav, V. Vafeiadis, J. Kang, C. Hur and D. Dreyer, Repairing Sequential Consistency in C/C++11, PLDI 2017"
	c11       = "C11, 5.1.2.4 and 7.17.3"
	opencl    = "OpenCL 3.0 API, 3.3.7"
)

// values returns all values of n registers of one bit each, but for some.
func values(n int, without ...string) string {
	var list []string
	for v := range 1 << n {
		if text := fmt.Sprintf("%0*b", n, v); !slices.Contains(without, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, " ")
}

// weakLitmusTests are the tests, by shape. A name tells the orders: of all operations, or of stores and then loads.
var weakLitmusTests = []weakLitmus{
	// Message passing: may the flag be seen before the data?
	{name: "MP rlx", source: batty11, want: values(2), threads: []string{"ST(x, 1, rlx) ST(y, 1, rlx)", "LD(r0, y, rlx) LD(r1, x, rlx)"}},
	{name: "MP rel acq", source: batty11, want: values(2, "10"), threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "LD(r0, y, acq) LD(r1, x, rlx)"}},
	{name: "MP without acquire", source: batty11, want: values(2), threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "LD(r0, y, rlx) LD(r1, x, rlx)"}},
	{name: "MP without release", source: batty11, want: values(2), threads: []string{"ST(x, 1, rlx) ST(y, 1, rlx)", "LD(r0, y, acq) LD(r1, x, rlx)"}},
	{name: "MP sc", source: c11, want: values(2, "10"), threads: []string{"ST(x, 1, sc) ST(y, 1, sc)", "LD(r0, y, sc) LD(r1, x, sc)"}},
	{name: "MP data not atomic", source: c11, want: values(2, "10"), threads: []string{"x = 1; ST(y, 1, rel)", "LD(r0, y, acq) r1 = x;"}},
	{name: "MP data not atomic, rlx", source: alglave15, want: values(2), threads: []string{"x = 1; ST(y, 1, rlx)", "LD(r0, y, rlx) r1 = x;"}},
	{name: "MP not atomic", source: alglave15, want: values(2), threads: []string{"x = 1; y = 1;", "r0 = y; r1 = x;"}},
	{name: "MP fences", source: c11, want: values(2, "10"), threads: []string{"ST(x, 1, rlx) FENCE(rel) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCE(acq) LD(r1, x, rlx)"}},
	{name: "MP fence and acq", source: c11, want: values(2, "10"), threads: []string{"ST(x, 1, rlx) FENCE(rel) ST(y, 1, rlx)", "LD(r0, y, acq) LD(r1, x, rlx)"}},
	{name: "MP rel and fence", source: c11, want: values(2, "10"), threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "LD(r0, y, rlx) FENCE(acq) LD(r1, x, rlx)"}},
	{name: "MP release fence alone", source: c11, want: values(2), threads: []string{"ST(x, 1, rlx) FENCE(rel) ST(y, 1, rlx)", "LD(r0, y, rlx) LD(r1, x, rlx)"}},
	{name: "MP acquire fence alone", source: c11, want: values(2), threads: []string{"ST(x, 1, rlx) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCE(acq) LD(r1, x, rlx)"}},
	{name: "MP fences the wrong way", source: c11, want: values(2), threads: []string{"ST(x, 1, rlx) FENCE(acq) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCE(rel) LD(r1, x, rlx)"}},

	// Store buffering: may both loads miss both stores?
	{name: "SB rlx", source: batty11, want: values(2), threads: []string{"ST(x, 1, rlx) LD(r0, y, rlx)", "ST(y, 1, rlx) LD(r1, x, rlx)"}},
	{name: "SB rel acq", source: batty11, want: values(2), threads: []string{"ST(x, 1, rel) LD(r0, y, acq)", "ST(y, 1, rel) LD(r1, x, acq)"}},
	{name: "SB sc", source: batty11, want: values(2, "00"), threads: []string{"ST(x, 1, sc) LD(r0, y, sc)", "ST(y, 1, sc) LD(r1, x, sc)"}},
	{name: "SB sc stores", source: c11, want: values(2), threads: []string{"ST(x, 1, sc) LD(r0, y, acq)", "ST(y, 1, sc) LD(r1, x, acq)"}},
	{name: "SB not atomic", source: alglave15, want: values(2), threads: []string{"x = 1; r0 = y;", "y = 1; r1 = x;"}},
	{name: "SB acqrel fences", source: c11, want: values(2), threads: []string{"ST(x, 1, rlx) FENCE(ar) LD(r0, y, rlx)", "ST(y, 1, rlx) FENCE(ar) LD(r1, x, rlx)"}},
	{name: "SB sc fences", source: c11, want: values(2, "00"), threads: []string{"ST(x, 1, rlx) FENCE(sc) LD(r0, y, rlx)", "ST(y, 1, rlx) FENCE(sc) LD(r1, x, rlx)"}},
	{name: "SB one sc fence", source: c11, want: values(2), threads: []string{"ST(x, 1, rlx) FENCE(sc) LD(r0, y, rlx)", "ST(y, 1, rlx) LD(r1, x, rlx)"}},
	{name: "SB sc fence and sc accesses", source: c11, want: values(2, "00"), threads: []string{"ST(x, 1, rlx) FENCE(sc) LD(r0, y, rlx)", "ST(y, 1, sc) LD(r1, x, sc)"}},

	// Load buffering: may both loads see the stores behind them?
	{name: "LB rlx", source: kang17, want: values(2), threads: []string{"LD(r0, x, rlx) ST(y, 1, rlx)", "LD(r1, y, rlx) ST(x, 1, rlx)"}},
	{name: "LB rel stores", source: c11, want: values(2), threads: []string{"LD(r0, x, rlx) ST(y, 1, rel)", "LD(r1, y, rlx) ST(x, 1, rel)"}},
	{name: "LB rel acq", source: batty11, want: values(2, "11"), threads: []string{"LD(r0, x, acq) ST(y, 1, rel)", "LD(r1, y, acq) ST(x, 1, rel)"}},
	{name: "LB rel acq one way", source: c11, want: values(2, "11"), threads: []string{"LD(r0, x, rlx) ST(y, 1, rel)", "LD(r1, y, acq) ST(x, 1, rlx)"}},
	{name: "LB sc", source: batty11, want: values(2, "11"), threads: []string{"LD(r0, x, sc) ST(y, 1, sc)", "LD(r1, y, sc) ST(x, 1, sc)"}},
	{name: "LB not atomic", source: alglave15, want: values(2), threads: []string{"r0 = x; y = 1;", "r1 = y; x = 1;"}},
	{name: "LB acqrel fences", source: c11, want: values(2, "11"), threads: []string{"LD(r0, x, rlx) FENCE(ar) ST(y, 1, rlx)", "LD(r1, y, rlx) FENCE(ar) ST(x, 1, rlx)"}},
	{name: "LB one dependency", source: kang17, want: "00 01 11", threads: []string{"LD(r0, x, rlx) ST(y, 1, rlx)", "LD(r1, y, rlx) ST(x, r1, rlx)"}},
	{name: "LB out of thin air", source: kang17, want: "00", threads: []string{"LD(r0, x, rlx) ST(y, r0, rlx)", "LD(r1, y, rlx) ST(x, r1, rlx)"}},
	// C11 allows 11, which it ought not to, and RC11 does not.
	{name: "LB control", source: lahav17, want: "00", threads: []string{"LD(r0, x, rlx) if (r0) ST(y, 1, rlx)", "LD(r1, y, rlx) if (r1) ST(x, 1, rlx)"}},

	// Coherence.
	{name: "CoRR rlx", source: batty11, want: "00 01 11", threads: []string{"ST(x, 1, rlx)", "LD(r0, x, rlx) LD(r1, x, rlx)"}},
	{name: "CoRR not atomic", source: alglave15, want: values(2), threads: []string{"x = 1;", "r0 = x; r1 = x;"}},
	{name: "CoRR not atomic, with a fence", source: alglave15, want: "00 01 11", threads: []string{"x = 1;", "r0 = x; FENCE(ar) r1 = x;"}},
	{name: "CoRR of two stores", source: batty11, want: "00 01 02 11 12 22", threads: []string{"ST(x, 1, rlx) ST(x, 2, rlx)", "LD(r0, x, rlx) LD(r1, x, rlx)"}},
	{name: "CoWW", source: batty11, want: "2", final: "x", threads: []string{"ST(x, 1, rlx) ST(x, 2, rlx)"}},
	{name: "CoWR", source: batty11, want: "11 12 22", final: "x", threads: []string{"ST(x, 1, rlx) LD(r0, x, rlx)", "ST(x, 2, rlx)"}},
	{name: "CoRW", source: batty11, want: "01 02 21", final: "x", threads: []string{"LD(r0, x, rlx) ST(x, 1, rlx)", "ST(x, 2, rlx)"}},
	{name: "CoRW of one thread", source: batty11, want: "01", final: "x", threads: []string{"LD(r0, x, rlx) ST(x, 1, rlx)"}},
	{name: "CoRR of two readers", source: batty11, want: except("0123", 4, func(v string) bool {
		return strings.ContainsRune(v, '3') || v[0] != v[1] && (v[0] != '0' && v[1] == '0') || v[2] != '0' && v[3] == '0' || v == "1221" || v == "2112" ||
			v[0:2] == "12" && v[2:4] == "21" || v[0:2] == "21" && v[2:4] == "12"
	}), threads: []string{"ST(x, 1, rlx)", "ST(x, 2, rlx)", "LD(r0, x, rlx) LD(r1, x, rlx)", "LD(r2, x, rlx) LD(r3, x, rlx)"}},

	// Independent reads of independent writes: do all see them in one order?
	{name: "IRIW rlx", source: batty11, want: values(4), threads: iriw("rlx", "rlx", "")},
	{name: "IRIW rel acq", source: batty11, want: values(4), threads: iriw("rel", "acq", "")},
	{name: "IRIW sc", source: batty11, want: values(4, "1010"), threads: iriw("sc", "sc", "")},
	{name: "IRIW sc loads", source: c11, want: values(4), threads: iriw("rlx", "sc", "")},
	{name: "IRIW acqrel fences", source: c11, want: values(4), threads: iriw("rlx", "rlx", "FENCE(ar)")},
	// C11 of 2011 allows 1010, which C++20 and RC11 do not.
	{name: "IRIW sc fences", source: lahav17, want: values(4, "1010"), threads: iriw("rlx", "rlx", "FENCE(sc)")},

	// Two plus two writes: may both first stores come last?
	{name: "2+2W rlx", source: herding, want: "11 12 21 22", final: "xy", threads: []string{"ST(x, 1, rlx) ST(y, 2, rlx)", "ST(y, 1, rlx) ST(x, 2, rlx)"}},
	{name: "2+2W rel", source: herding, want: "11 12 21 22", final: "xy", threads: []string{"ST(x, 1, rel) ST(y, 2, rel)", "ST(y, 1, rel) ST(x, 2, rel)"}},
	{name: "2+2W sc", source: c11, want: "12 21 22", final: "xy", threads: []string{"ST(x, 1, sc) ST(y, 2, sc)", "ST(y, 1, sc) ST(x, 2, sc)"}},
	{name: "2+2W not atomic", source: alglave15, want: "11 12 21 22", final: "xy", threads: []string{"x = 1; y = 2;", "y = 1; x = 2;"}},
	{name: "2+2W sc fences", source: c11, want: "12 21 22", final: "xy", threads: []string{"ST(x, 1, rlx) FENCE(sc) ST(y, 2, rlx)", "ST(y, 1, rlx) FENCE(sc) ST(x, 2, rlx)"}},

	// Causality through a third thread.
	{name: "WRC rlx", source: maranget, want: values(3), threads: []string{"ST(x, 1, rlx)", "LD(r0, x, rlx) ST(y, 1, rlx)", "LD(r1, y, rlx) LD(r2, x, rlx)"}},
	{name: "WRC rel acq", source: batty11, want: values(3, "110"), threads: []string{"ST(x, 1, rel)", "LD(r0, x, acq) ST(y, 1, rel)", "LD(r1, y, acq) LD(r2, x, acq)"}},
	{name: "ISA2 rlx", source: maranget, want: values(3), threads: []string{"ST(x, 1, rlx) ST(y, 1, rlx)", "LD(r0, y, rlx) ST(z, 1, rlx)", "LD(r1, z, rlx) LD(r2, x, rlx)"}},
	{name: "ISA2 rel acq", source: batty11, want: values(3, "110"), threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "LD(r0, y, acq) ST(z, 1, rel)", "LD(r1, z, acq) LD(r2, x, rlx)"}},
	{name: "RWC rel acq", source: maranget, want: values(3), threads: []string{"ST(x, 1, rel)", "LD(r0, x, acq) LD(r1, y, acq)", "ST(y, 1, rel) LD(r2, x, acq)"}},
	{name: "RWC sc", source: c11, want: values(3, "100"), threads: []string{"ST(x, 1, sc)", "LD(r0, x, sc) LD(r1, y, sc)", "ST(y, 1, sc) LD(r2, x, sc)"}},
	{name: "W+RWC rel acq", source: lahav17, want: values(3), threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "LD(r0, y, acq) LD(r1, z, rlx)", "ST(z, 1, rlx) LD(r2, x, rlx)"}},
	{name: "W+RWC sc", source: lahav17, want: values(3, "100"), threads: []string{"ST(x, 1, sc) ST(y, 1, sc)", "LD(r0, y, sc) LD(r1, z, sc)", "ST(z, 1, sc) LD(r2, x, sc)"}},
	{name: "W+RWC sc fences", source: lahav17, want: values(3, "100"), threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "LD(r0, y, acq) FENCE(sc) LD(r1, z, rlx)", "ST(z, 1, rlx) FENCE(sc) LD(r2, x, rlx)"}},
	{name: "R rlx", source: herding, want: "01 02 11 12", final: "y", threads: []string{"ST(x, 1, rlx) ST(y, 1, rlx)", "ST(y, 2, rlx) LD(r0, x, rlx)"}},
	{name: "R rel acq", source: herding, want: "01 02 11 12", final: "y", threads: []string{"ST(x, 1, rel) ST(y, 1, rel)", "ST(y, 2, rel) LD(r0, x, acq)"}},
	{name: "R sc", source: c11, want: "01 11 12", final: "y", threads: []string{"ST(x, 1, sc) ST(y, 1, sc)", "ST(y, 2, sc) LD(r0, x, sc)"}},
	{name: "R sc fences", source: c11, want: "01 11 12", final: "y", threads: []string{"ST(x, 1, rlx) FENCE(sc) ST(y, 1, rlx)", "ST(y, 2, rlx) FENCE(sc) LD(r0, x, rlx)"}},
	{name: "S rlx", source: herding, want: "01 02 11 12", final: "x", threads: []string{"ST(x, 2, rlx) ST(y, 1, rlx)", "LD(r0, y, rlx) ST(x, 1, rlx)"}},
	{name: "S rel acq", source: batty11, want: "01 02 11", final: "x", threads: []string{"ST(x, 2, rlx) ST(y, 1, rel)", "LD(r0, y, acq) ST(x, 1, rlx)"}},
	{name: "S sc", source: c11, want: "01 02 11", final: "x", threads: []string{"ST(x, 2, sc) ST(y, 1, sc)", "LD(r0, y, sc) ST(x, 1, sc)"}},

	// Read-modify-writes and release sequences.
	{name: "tickets", source: c11, want: "01 10", threads: []string{"ADD(r0, x, 1, rlx)", "ADD(r1, x, 1, rlx)"}},
	{name: "RMW between", source: c11, want: "01 12", final: "x", threads: []string{"XCHG(r0, x, 2, rlx)", "ST(x, 1, rlx)"}},
	{name: "SB exchanges", source: batty11, want: "0000 0001 0100 0101", threads: []string{"XCHG(r0, x, 1, ar) LD(r1, y, acq)", "XCHG(r2, y, 1, ar) LD(r3, x, acq)"}},
	{name: "release sequence of an RMW", source: c11, want: "000 001 010 011 100 101 111 121", threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "ADD(r0, y, 1, rlx)", "LD(r1, y, acq) LD(r2, x, rlx)"}},
	{name: "release sequence of its own thread", source: c11, want: "00 01 11 21", threads: []string{"ST(x, 1, rlx) ST(y, 1, rel) ST(y, 2, rlx)", "LD(r0, y, acq) LD(r1, x, rlx)"}},
	{name: "release sequence ended by another thread", source: c11, want: "00 01 11 20 21", threads: []string{"ST(x, 1, rlx) ST(y, 1, rel)", "ST(y, 2, rlx)", "LD(r0, y, acq) LD(r1, x, rlx)"}},
	{name: "release sequence behind a fence", source: c11, want: "00 01 11 21", threads: []string{"ST(x, 1, rlx) FENCE(rel) ST(y, 1, rlx) ST(y, 2, rlx)", "LD(r0, y, rlx) FENCE(acq) LD(r1, x, rlx)"}},

	// Scopes. Threads are work-groups of their own, or together where local is 2; sub-groups have one work-item.
	{name: "MP scope work-group, other group", source: opencl, want: values(2), threads: []string{"ST(x, 1, rlx) STS(y, 1, rel, group)", "LDS(r0, y, acq, group) LD(r1, x, rlx)"}},
	{name: "MP scope work-group, same group", source: opencl, want: values(2, "10"), local: 2, threads: []string{"ST(x, 1, rlx) STS(y, 1, rel, group)", "LDS(r0, y, acq, group) LD(r1, x, rlx)"}},
	{name: "MP release scope too narrow", source: opencl, want: values(2), threads: []string{"ST(x, 1, rlx) STS(y, 1, rel, group)", "LDS(r0, y, acq, device) LD(r1, x, rlx)"}},
	{name: "MP acquire scope too narrow", source: opencl, want: values(2), threads: []string{"ST(x, 1, rlx) STS(y, 1, rel, device)", "LDS(r0, y, acq, group) LD(r1, x, rlx)"}},
	{name: "MP scope sub-group, same group", source: opencl, want: values(2), local: 2, threads: []string{"ST(x, 1, rlx) STS(y, 1, rel, memory_scope_sub_group)", "LDS(r0, y, acq, memory_scope_sub_group) LD(r1, x, rlx)"}},
	{name: "MP fences of scope work-group, other group", source: opencl, want: values(2), threads: []string{"ST(x, 1, rlx) FENCES(GLOBAL, rel, group) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCES(GLOBAL, acq, group) LD(r1, x, rlx)"}},
	{name: "MP fences of scope work-group, same group", source: opencl, want: values(2, "10"), local: 2, threads: []string{"ST(x, 1, rlx) FENCES(GLOBAL, rel, group) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCES(GLOBAL, acq, group) LD(r1, x, rlx)"}},

	// Local memory against global memory.
	{name: "MP in local memory", source: opencl, want: values(2, "10"), local: 2, threads: []string{"LST(lx, 1, rlx) LST(ly, 1, rel)", "LLD(r0, ly, acq) LLD(r1, lx, rlx)"}},
	{name: "MP in local memory, rlx", source: opencl, want: values(2), local: 2, threads: []string{"LST(lx, 1, rlx) LST(ly, 1, rlx)", "LLD(r0, ly, rlx) LLD(r1, lx, rlx)"}},
	{name: "MP flag in global memory, data in local memory", source: opencl, want: values(2), local: 2, threads: []string{"LST(lx, 1, rlx) ST(y, 1, rel)", "LD(r0, y, acq) LLD(r1, lx, rlx)"}},
	{name: "MP flag in local memory, data in global memory", source: opencl, want: values(2), local: 2, threads: []string{"ST(x, 1, rlx) LST(ly, 1, rel)", "LLD(r0, ly, acq) LD(r1, x, rlx)"}},
	{name: "MP both memories, sc", source: opencl, want: values(2, "10"), local: 2, threads: []string{"LST(lx, 1, rlx) ST(y, 1, sc)", "LD(r0, y, sc) LLD(r1, lx, rlx)"}},
	{name: "MP both memories, fences of both", source: opencl, want: values(2, "10"), local: 2, threads: []string{"LST(lx, 1, rlx) FENCES(LOCAL | GLOBAL, rel, group) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCES(LOCAL | GLOBAL, acq, group) LLD(r1, lx, rlx)"}},
	{name: "MP both memories, fences of one", source: opencl, want: values(2), local: 2, threads: []string{"LST(lx, 1, rlx) FENCES(GLOBAL, rel, group) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCES(LOCAL | GLOBAL, acq, group) LLD(r1, lx, rlx)"}},
	{name: "MP both memories, fences of local memory", source: opencl, want: values(2), local: 2, threads: []string{"LST(lx, 1, rlx) FENCES(LOCAL, rel, group) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCES(LOCAL, acq, group) LLD(r1, lx, rlx)"}},
	{name: "MP fences of local memory", source: opencl, want: values(2), local: 2, threads: []string{"ST(x, 1, rlx) FENCES(LOCAL, rel, group) ST(y, 1, rlx)", "LD(r0, y, rlx) FENCES(LOCAL, acq, group) LD(r1, x, rlx)"}},

	// Barriers.
	{name: "barrier of global memory", source: opencl, want: "11", local: 2, items: 2, body: "v[i] = 1; work_group_barrier(GLOBAL); int r0 = v[1 - i]; v[8 + i] = r0; /* r1 */"},
	{name: "barrier of local memory", source: opencl, want: values(2), local: 2, items: 2, body: "v[i] = 1; work_group_barrier(LOCAL); int r0 = v[1 - i]; v[8 + i] = r0; /* r1 */"},
	{name: "barrier of local memory, data there", source: opencl, want: "11", local: 2, items: 2, body: "tile[i] = 1; work_group_barrier(LOCAL); int r0 = tile[1 - i]; v[8 + i] = r0; /* r1 */"},
	{name: "barrier of global memory, data in local memory", source: opencl, want: values(2), local: 2, items: 2, body: "tile[i] = 0; work_group_barrier(LOCAL); tile[i] = 1; work_group_barrier(GLOBAL); int r0 = tile[1 - i]; v[8 + i] = r0; /* r1 */"},
}

// iriw is that test, with a fence between loads.
func iriw(stores, loads, fence string) []string {
	reader := func(a, b, first, second string) string {
		return fmt.Sprintf("LD(%s, %s, %s) %s LD(%s, %s, %s)", a, first, loads, fence, b, second, loads)
	}
	return []string{"ST(x, 1, " + stores + ")", "ST(y, 1, " + stores + ")", reader("r0", "r1", "x", "y"), reader("r2", "r3", "y", "x")}
}

// except returns all words of so many of the letters but those of which f says no.
func except(letters string, n int, no func(string) bool) string {
	words := []string{""}
	for range n {
		var next []string
		for _, w := range words {
			for _, l := range letters {
				next = append(next, w+string(l))
			}
		}
		words = next
	}
	return strings.Join(slices.DeleteFunc(words, no), " ")
}
