// Package scheduler runs a launch, or launches that pipes connect: it cuts the ND-range into work-groups and
// each work-group into waves, gives the waves their turns on an engine, opens
// barriers, and collects counters, printf output and faults.
//
// It knows no instructions (the engine executes those) and no buffers or
// arguments (package emu prepares the launch). A launch comes in as an
// [engine.Launch] and [Options]; a [Result] goes out, of several launches a [SetResult].
//
// # Work-groups
//
// The position of a work-group in the schedule is a number from 0; [Order] maps
// positions to groups without a table, so that 2^40 groups take no memory.
// Each worker takes batches of positions from its own share of them, and then from the others'; from one for all where output is put together in
// order, or where groups may wait for others. All but the first are goroutines that
// look for the next launch for a moment before they end, as waking a thread takes as long
// as a small launch. A worker owns the waves, the LDS and the counters it works with and
// uses them again for every group, so that a group costs no allocation, and it keeps them
// for the next launch.
//
// Groups run at the same time only where nobody can tell: in the order InOrder,
// for a kernel that is not OrderDependent. The other orders exist to find out
// whether order matters, so their groups run one after the other, exactly in that
// order, and a seed reproduces a run even of a kernel with data races. Options.Parallel
// overrides both. Whatever a launch returns does not depend on the workers:
// counters are sums; output is put together in the order of the schedule; of the
// findings at one instruction the one at the first position is kept, with the number
// of all of them.
//
// Where nobody looks at a group when it begins, waits or ends (in order, not traced, no printf, no copies that
// take time), a wave that is the whole of its group goes on to the next groups by itself, and
// through barriers at which all of its work-items wait: [engine.Sweeper]. It comes back for faults, for barriers that
// only a part has come to, and when the launch is cancelled. Nothing but the time that it takes tells.
//
// A fault ends its work-group at the point where it happened. It also ends the launch:
// no group behind it in the schedule counts. If other workers have come to faults, the
// one at the first position decides; groups before it run to their end. So findings,
// counters and output are the same for any number of workers, but memory may hold what
// groups behind the fault have written. With Options.KeepGoing all groups run, and
// memory does not depend on who was faster either. Findings that do not end a
// work-group do not end the launch.
//
// # Waves
//
// A wave has one or more whole sub-groups. Left to itself it has all of a group, up to 1024 work-items, unless a loop between
// barriers goes through so many registers, or so much private memory, that caches hold those of fewer lanes only; that
// is found from the bytecode, and is the same everywhere. A group whose work-items fit one
// wave runs it to its end; there is nobody to wait for. Otherwise the waves take
// turns: each runs until it ends, waits at a barrier or has used up its quantum of
// back-edges; a round gives every wave that can run one turn, in the order of
// the schedule (for Seeded: drawn anew for each round, and the quantum with it).
// So a wave that spins on a flag does not keep another from setting it.
//
// Inside a wave there are no turns. The engine runs the lowest-numbered block
// that has lanes, and a spinning loop may come before the block in which a lane
// of another sub-group would set the flag. Sub-groups make progress independently of each
// other, so a kernel in which one could spin has one sub-group in a wave: see
// [MaySpin]. Within a sub-group OpenCL promises no progress, and between
// work-groups it does not either (OpenCL API 3.2.1): there, a spin may go on
// until the time limit.
//
// In the orders Reverse and Seeded a wave has one sub-group as well, unless
// Options.WaveLanes says otherwise, for the finest choice of orders.
//
// # Barriers
//
// A barrier opens when every live work-item of the group waits at the same
// barrier instruction. Work-items that have ended count as gone; when there are such,
// the barrier opens too, and leaves the fault [finding.PartialBarrier], since OpenCL
// leaves undefined what happens. When the live work-items wait at different barriers
// nobody can go on: [finding.BarrierDeadlock], with who waits where. Both are
// [finding.GroupDiverged] where the barrier belongs to an operation of the
// work-group (isa.FlagUniform).
//
// # Asynchronous copies
//
// A worker has a [dma.Unit] for kernels that make asynchronous copies. It tells
// the unit of the beginning and the end of each group and of barriers that open,
// keeps the group's logical clock, and takes the findings, which do not end a
// group. Bytes that are still on their way when a group is over arrive; when a
// fault has ended it, they do not.
//
// # Sets
//
// Launches that pipes connect run together: [RunSet]. They have turns on one
// goroutine. In order, each launch has its turn after the one before it, and every one of its
// groups in progress a round; in reverse, the other way round; seeded, a few of all waves that can
// run are drawn, and for how long. The host's ends of pipes have turns as launches
// have. A launch has one group in progress at first, which ends and makes room for
// the next.
//
// A wave that waits at a pipe (engine.StopPipe) is left alone until the version of
// one of its launch's pipes is another one. When nobody can run, the set tries
// what could help, from the least to the most:
//
//   - lanes go on which their wave kept back, so that it comes together again behind
//     the pipe instruction ([engine.Wave].Overtake);
//   - a work-group that has not begun joins those in progress, then two, four and so
//     on, one launch after the other, as long as their registers and private memory have
//     room (a quarter of Options.MaxState);
//   - the groups that wait end with the fault [finding.PipeDeadlock], each with a [Standstill]
//     that says for which pipes it waits, how those are and who holds their ends.
//
// Waves that do not block spin instead. A wave of which an engine stops the turn
// early, because its pipes had nothing, has issued fewer instructions than its quantum has
// back-edges. When all turns for a while were like that, or no packet has moved for long, the first two
// steps are taken as well. Kernels that only spin, for what nobody will ever write, run until
// the time limit.
//
// A fault of a work-group ends the set, unless Options.KeepGoing is set.
//
// Groups in progress side by side share the logical clock, and have a [dma.Unit]
// each. A reservation that a group leaves open is the finding [finding.PipeOpen].
//
// # The end of a launch
//
// The context sets Launch.Cancel; waves see it at their next back-edge, workers
// at their next group. What was running is in Result.Stopped.
package scheduler
