// Package race finds data races of kernels: two accesses to the same bytes by different work-items, at
// least one of them a write and not both atomic, that nothing orders (OpenCL 3.0, 3.3.6 and 3.3.7). It is
// not the race detector of Go, and knows nothing of how an engine runs lanes: what nothing in the program
// orders is a race, whichever way it went.
//
// The scheduler and the engine tell a [Detector] what happens: work-groups that begin, barriers that open,
// atomic operations, fences, loads and stores, each with the work-item that does it. Package emu makes
// findings of the races that it returns.
//
// # Happens-before
//
// Each work-item has a clock, and each access a stamp: the work-item and its clock. A work-item knows, of
// others, the clocks up to which their accesses happened before what it does next; these are vector clocks
// (Flanagan and Freund, FastTrack, PLDI 2009), kept small as on GPUs (Eizenberg et al., BARRACUDA, PLDI
// 2017): a barrier gives all work-items of the group one clock, and everything before it is known by one
// number. Only work-items that took part in atomic operations with release or acquire have more (type
// known).
//
// LDS and global memory have clocks of their own, as local-happens-before and global-happens-before are two
// relations: a barrier or fence orders the kinds of memory that its flags name.
//
// # Shadow memory
//
// Each piece of memory has a cell with the latest write and reads, or several of them where these are not
// ordered with one another. Cells stand for four bytes until an access is smaller. An access that is
// ordered behind those in the cell takes their place; others stay beside it, so that all pairs of
// instructions that race with one another are found, in every order in which work-items may run. Two accesses
// of one instruction by work-items of one group that are ordered alike stand for all of them: whoever races
// with a third one races with one of the two. Where work-items may synchronize alone ([Detector.Alone]), all
// are kept, those of 64 work-items as one entry.
//
// Which bytes race does not depend on the order of work-items, and the tests hold that it is all bytes that
// race by the definition. Of the pairs of instructions that race for a byte, one may hide others.
//
// Events, an instruction at a clock, are dropped when memory does not name them any more, so that they take no
// more room than the cells.
//
// Mostly, work-items that follow each other access words that follow each other. A page of 256 bytes of which
// nothing else is known has no cells, but rows: the stamp of its first word, and which words there are. An
// instruction of 64 work-items is entered in one step then, or, in a tile, in a step for each row of the tile. A page
// gets cells when accesses race there, when work-items access it each at a place of its own, and when it has too many
// rows.
//
// What was accessed in LDS before the last barrier that orders LDS, or by another group, races with nothing:
// pages that are older are empty.
//
// Memory that no launch can write has no cells: [Detector.Writes] finds it from the kernels' instructions.
//
// A Detector serves one goroutine: work-groups of a launch that is looked at run one after the other.
package race
