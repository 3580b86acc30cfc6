package main

// op is an operation: what it does to a lane.
type op struct {
	name   string // of the opcode, without "Op"
	arity  int
	expr   string
	shapes []int // sets of scalar operands with a function of their own, besides none and all
	heavy  bool  // costs much more than the loop around it
	nan    bool  // a NaN result has to be made canonical
	conv   bool
	// bitwise says that each bit of the result depends on that bit of the operands only.
	bitwise bool
	shift   string // << or >> for such a shift
}

// The shapes of binary operations: the second operand scalar, or either.
var (
	second = []int{2}
	either = []int{1, 2}
)

// intOps has the integer operations that cannot fault. A commutative one needs
// only the shapes with the scalar last.
var intOps = []op{
	{name: "Add", arity: 2, expr: "{A} + {B}", shapes: second},
	{name: "Sub", arity: 2, expr: "{A} - {B}", shapes: either},
	{name: "Mul", arity: 2, expr: "{A} * {B}", shapes: second},
	{name: "And", arity: 2, expr: "{A} & {B}", shapes: second, bitwise: true},
	{name: "Or", arity: 2, expr: "{A} | {B}", shapes: second, bitwise: true},
	{name: "Xor", arity: 2, expr: "{A} ^ {B}", shapes: second, bitwise: true},
	{name: "Shl", arity: 2, expr: "{A} << ({B} & {M})", shapes: either, shift: "<<"},
	{name: "ShrU", arity: 2, expr: "{A} >> ({B} & {M})", shapes: either, shift: ">>"},
	{name: "ShrS", arity: 2, expr: "{U}({S}({A}) >> ({B} & {M}))", shapes: either},
	{name: "Rotl", arity: 2, expr: "bits.RotateLeft{W}({A}, int({B} & {M}))", shapes: second},
	{name: "MinS", arity: 2, expr: "{U}(min({S}({A}), {S}({B})))", shapes: second},
	{name: "MaxS", arity: 2, expr: "{U}(max({S}({A}), {S}({B})))", shapes: second},
	{name: "MinU", arity: 2, expr: "min({A}, {B})", shapes: second},
	{name: "MaxU", arity: 2, expr: "max({A}, {B})", shapes: second},
	{name: "Mad", arity: 3, expr: "{A}*{B} + {C}", shapes: []int{2, 4, 6}},
	{name: "Not", arity: 1, expr: "^{A}", bitwise: true},
	{name: "Neg", arity: 1, expr: "-{A}"},
	{name: "Abs", arity: 1, expr: "abs{W}({A})"},

	{name: "MulHiS", arity: 2, expr: "mulHiS{W}({A}, {B})", heavy: true},
	{name: "MulHiU", arity: 2, expr: "mulHiU{W}({A}, {B})", heavy: true},
	{name: "AddSatS", arity: 2, expr: "{U}(addSatS({S}({A}), {S}({B})))", heavy: true},
	{name: "AddSatU", arity: 2, expr: "addSatU({A}, {B})", heavy: true},
	{name: "SubSatS", arity: 2, expr: "{U}(subSatS({S}({A}), {S}({B})))", heavy: true},
	{name: "SubSatU", arity: 2, expr: "subSatU({A}, {B})", heavy: true},
	{name: "HAddS", arity: 2, expr: "{U}(hadd({S}({A}), {S}({B})))", heavy: true},
	{name: "HAddU", arity: 2, expr: "hadd({A}, {B})", heavy: true},
	{name: "RHAddS", arity: 2, expr: "{U}(rhadd({S}({A}), {S}({B})))", heavy: true},
	{name: "RHAddU", arity: 2, expr: "rhadd({A}, {B})", heavy: true},
	{name: "AbsDiffS", arity: 2, expr: "{U}(max({S}({A}), {S}({B}))) - {U}(min({S}({A}), {S}({B})))", heavy: true},
	{name: "AbsDiffU", arity: 2, expr: "max({A}, {B}) - min({A}, {B})", heavy: true},
	{name: "Clz", arity: 1, expr: "{U}(bits.LeadingZeros{W}({A}))", heavy: true},
	{name: "Ctz", arity: 1, expr: "{U}(bits.TrailingZeros{W}({A}))", heavy: true},
	{name: "PopCount", arity: 1, expr: "{U}(bits.OnesCount{W}({A}))", heavy: true},
	{name: "BitReverse", arity: 1, expr: "bits.Reverse{W}({A})", heavy: true},
	{name: "BitInsert", arity: 4, expr: "{U}(bitInsert(uint64({A}), uint64({B}), uint64({C}), uint64({D})))", heavy: true},
	{name: "BitExtractS", arity: 3, expr: "{U}(bitExtractS(uint64({A}), uint64({B}), uint64({C})))", heavy: true},
	{name: "BitExtractU", arity: 3, expr: "{U}(bitExtractU(uint64({A}), uint64({B}), uint64({C})))", heavy: true},
}

// floatOps has the operations of F32 and F64. A product that is added to has
// to be converted, or the compiler may fuse the two.
var floatOps = []op{
	{name: "FAdd", arity: 2, expr: "{A} + {B}", shapes: second, nan: true},
	{name: "FSub", arity: 2, expr: "{A} - {B}", shapes: either, nan: true},
	{name: "FMul", arity: 2, expr: "{U}({A} * {B})", shapes: second, nan: true},
	{name: "FDiv", arity: 2, expr: "{A} / {B}", shapes: either, nan: true},
	{name: "FRem", arity: 2, expr: "{U}(math.Mod(float64({A}), float64({B})))", heavy: true, nan: true},
	{name: "FMod", arity: 2, expr: "floorMod{T}({A}, {B})", heavy: true, nan: true},
	{name: "FMulAdd", arity: 3, expr: "{U}({A}*{B}) + {C}", shapes: []int{2, 4, 6}, nan: true},
	{name: "Fma", arity: 3, expr: "fma{T}({A}, {B}, {C})", shapes: []int{2, 4, 6}, nan: true},
	{name: "FMin", arity: 2, expr: "fmin({A}, {B})", shapes: second, heavy: true, nan: true},
	{name: "FMax", arity: 2, expr: "fmax({A}, {B})", shapes: second, heavy: true, nan: true},
	{name: "Sqrt", arity: 1, expr: "{U}(math.Sqrt(float64({A})))", nan: true},
	{name: "Floor", arity: 1, expr: "{U}(math.Floor(float64({A})))", heavy: true, nan: true},
	{name: "Ceil", arity: 1, expr: "{U}(math.Ceil(float64({A})))", heavy: true, nan: true},
	{name: "Trunc", arity: 1, expr: "{U}(math.Trunc(float64({A})))", heavy: true, nan: true},
	{name: "Rint", arity: 1, expr: "{U}(math.RoundToEven(float64({A})))", heavy: true, nan: true},
	{name: "Round", arity: 1, expr: "{U}(math.Round(float64({A})))", heavy: true, nan: true},
}

// signOps work on the bits of a float.
var signOps = []op{
	{name: "FNeg", arity: 1, expr: "{A} ^ 1<<{M}"},
	{name: "FAbs", arity: 1, expr: "{A} &^ (1 << {M})"},
	{name: "CopySign", arity: 2, expr: "{A}&^(1<<{M}) | {B}&(1<<{M})"},
}

// cmp is a comparison.
type cmp struct{ name, expr string }

var intCmps = []cmp{
	{"Eq", "{A} == {B}"},
	{"Ne", "{A} != {B}"},
	{"LtS", "{S}({A}) < {S}({B})"},
	{"LeS", "{S}({A}) <= {S}({B})"},
	{"LtU", "{A} < {B}"},
	{"LeU", "{A} <= {B}"},
}

var floatCmps = []cmp{
	{"FOEq", "{A} == {B}"},
	{"FONe", "{A} < {B} || {A} > {B}"},
	{"FOLt", "{A} < {B}"},
	{"FOLe", "{A} <= {B}"},
	{"FUEq", "!({A} < {B} || {A} > {B})"},
	{"FUNe", "{A} != {B}"},
	{"FULt", "!({A} >= {B})"},
	{"FULe", "!({A} > {B})"},
	{"FOrd", "{A} == {A} && {B} == {B}"},
	{"FUno", "{A} != {A} || {B} != {B}"},
}
