package lower

// pass is a step of the lowering of a kernel.
type pass struct {
	name string
	what string
	run  func(*builder)
}

// passes is the road from the SSA that build.go made to bytecode, in order.
var passes = []pass{
	{"build", "the module's instructions as SSA over scalars, calls inlined", func(b *builder) { b.f.cleanCFG() }},
	{"promote", "private variables become values", promote},
	{"simplify", "folding, value numbering, dead code, control flow", simplify},
	{"ifconvert", "short branches become selects", ifConvert},
	{"promote2", "variables that simplifying has laid open", func(b *builder) { promote(b); simplify(b) }},
	{"storages", "constant structures that describe pipes become pipes", storages},
	{"asyncwaits", "waits that have no async mark to wait for go", asyncWaits},
	{"asyncmarks", "async marks that no wait counts go", asyncMarks},
	{"narrow", "the low half of 64 bits becomes a 32-bit value", narrow},
	{"address", "pointer arithmetic moves into accesses", addresses},
	{"flatten", "one base and one index for accesses into rows", flatten},
	{"hoist", "what does not change in a loop leaves it", hoist},
	{"fuse", "multiplications join their additions", fuse},
	{"diverge", "order of blocks, loops with one latch, values that differ by lane", divergence},
	{"emit", "registers and bytecode", emit},
}

// run takes a kernel through all passes.
func run(b *builder) {
	for _, p := range passes {
		p.run(b)
		if b.m.opt.Dump != nil {
			b.m.opt.Dump(b.k.Name, p.name, b.dump(p.name == "emit"))
		}
	}
}
