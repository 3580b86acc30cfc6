package bench

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/emu"
)

// Share is how much of a launch machine code does.
type Share struct {
	// LaneOps are the operations of lanes of the launch, and Portable those that the reference engine did.
	LaneOps, Portable uint64
	// Most are the instructions that the reference engine did for most lanes, at most four, as text.
	Most []string
}

// Native is the part that machine code did, from 0 to 1.
func (s *Share) Native() float64 { return 1 - float64(s.Portable)/float64(max(s.LaneOps, 1)) }

// Share runs the kernel once and counts. It takes longer than Run.
func (s *Session) Share(ctx context.Context) (*Share, error) {
	l := s.launch
	l.Portable = &emu.Portable{}
	result, err := l.Run(ctx)
	if err != nil {
		return nil, err
	}
	share := &Share{LaneOps: result.Counters.LaneOps, Portable: l.Portable.Lanes()}
	for _, in := range l.Portable.Insts() {
		if len(share.Most) == 4 {
			break
		}
		share.Most = append(share.Most, fmt.Sprintf("%s %.3g %% (instruction %d)", s.opcode(in.PC),
			100*float64(in.Lanes)/float64(max(share.LaneOps, 1)), in.PC))
	}
	return share, nil
}

// opcode names that of an instruction of the kernel.
func (s *Session) opcode(pc int) string {
	for _, k := range s.program.ISA().Kernels {
		if k.Name == s.kernel.Entry && pc < len(k.Code) {
			return k.Code[pc].Op.String()
		}
	}
	return "instruction"
}
