package isa

import "fmt"

// Vote is what [OpVote] asks the lanes of a sub-group.
type Vote uint8

// The votes.
const (
	VoteAll      Vote = iota // is a.b1 set in all lanes that take part?
	VoteAny                  // in any of them?
	VoteAllEqual             // have all of them the same a.T? Floats compare by value: NaN equals nothing, 0 equals -0
	NumVotes
)

var voteNames = [NumVotes]string{"all", "any", "allequal"}

// String returns the vote's name in the text form.
func (v Vote) String() string {
	if v < NumVotes {
		return voteNames[v]
	}
	return fmt.Sprintf("vote(%d)", uint8(v))
}

// ScanKind says which lanes an [OpScan] combines for a lane.
type ScanKind uint8

// The kinds. Lanes combine in an order that is fixed, so that a sum of floats has one value.
// Scans combine them in ascending order, one after the other: ((x0 + x1) + x2) + x3. A
// reduction combines the lower half of the sub-group, or of the cluster, with the upper one, lane by lane, then
// the halves of what comes of it, down to one: (x0 + x2) + (x1 + x3). Lanes that do not take part
// are left out: what they would be combined with stays as it is. An exclusive scan starts
// with the operation's identity and does not apply it: lane 1 gets x0 itself.
const (
	ScanReduce    ScanKind = iota // all that take part
	ScanInclusive                 // those up to the lane, itself included
	ScanExclusive                 // those before the lane; the identity for the first
	NumScanKinds
)

var scanKindNames = [NumScanKinds]string{"reduce", "inclusive", "exclusive"}

// String returns the kind's name in the text form.
func (s ScanKind) String() string {
	if s < NumScanKinds {
		return scanKindNames[s]
	}
	return fmt.Sprintf("scan(%d)", uint8(s))
}

// ScanOp is the operation of an [OpScan]. What works on which type is that of
// the instructions of the same name; AND, OR and XOR take B1, too.
type ScanOp uint8

// The operations, and their identities.
const (
	ScanAdd  ScanOp = iota // 0
	ScanMul                // 1
	ScanMinS               // largest signed
	ScanMaxS               // smallest signed
	ScanMinU               // all ones
	ScanMaxU               // 0
	ScanAnd                // all ones
	ScanOr                 // 0
	ScanXor                // 0
	ScanFAdd               // 0
	ScanFMul               // 1
	ScanFMin               // +infinity; a NaN operand loses
	ScanFMax               // -infinity
	NumScanOps
)

var scanOpNames = [NumScanOps]string{"add", "mul", "min.s", "max.s", "min.u", "max.u", "and", "or", "xor", "fadd", "fmul", "fmin", "fmax"}

// String returns the operation's name in the text form.
func (s ScanOp) String() string {
	if s < NumScanOps {
		return scanOpNames[s]
	}
	return fmt.Sprintf("scanop(%d)", uint8(s))
}

// Types returns the types that the operation works on. Halves are scanned as
// they are: each step rounds to half.
func (s ScanOp) Types() TypeSet {
	switch {
	case s >= ScanFAdd:
		return SetFloats
	case s >= ScanAnd:
		return SetInt | SetBool
	}
	return SetInt
}

// ScanImm returns Inst.Imm of a scan; ScanOf takes it apart.
func ScanImm(k ScanKind, op ScanOp) uint32 { return uint32(k)<<8 | uint32(op) }

// ScanOf returns the kind and the operation that Inst.Imm of a scan holds.
func (in *Inst) ScanOf() (ScanKind, ScanOp) { return ScanKind(in.Imm >> 8), ScanOp(in.Imm) }

// What Inst.Imm of an [OpShuffle] or [OpShuffle2] tells the checks.
const (
	// ShuffleSame says that the lanes are to name the same lane.
	ShuffleSame uint32 = 1 << iota
	// ShuffleLoose says that naming a lane that does not take part, or does not
	// exist, is no mistake: the relative shuffles of SPIR-V, whose last lanes do
	// so in every reduction, and what the lowering itself makes.
	ShuffleLoose
	// ShuffleItem says that the operand named as a lane is a component of a local
	// id, which is to be less than the other operand, the size of the work-group.
	ShuffleItem
)

// MaxBallotWords is the number of 32-bit words of a ballot over the largest
// sub-group.
const MaxBallotWords = 4

// MaxBlockComponents is the greatest number of components that a block has for
// each lane.
const MaxBlockComponents = 16
