package dispatch

// This file has the texts of help topics.

const enginesText = `An engine runs the instructions of kernels. All engines give the same results, findings
and counters, bit for bit. -engine NAME chooses one:

  auto       the default: native where the processor and the system allow it, otherwise
             interp. Kernels start on interp, and go on in machine code when they have
             run long enough to repay its compilation
  native     compiles each kernel to machine code, for amd64 processors with AVX2 or
             AVX-512. interp runs the instructions that have no machine code. lockstep in
             WebAssembly lacks it: a program cannot add machine code to itself there
  interp     the reference engine: runs one instruction after the other. It works on
             every machine, and is several times slower
  compare    runs each launch on interp and again, from the same memory, on native, and
             compares memory, images, pipes, printf output, counters and findings

If the engines differ, compare prints the finding E-ENGINEDIFF and the exit status is 1.
The finding names the first difference, its work-group and, for memory, the work-item
and the instruction that wrote there on interp. To find them, compare runs parts of the
launch again and again. Memory and results are those of interp. A difference that only
occurs while work-groups run at the same time is a warning: work-groups race. compare
needs native, and fails where native is not available. It refuses launches that native
would leave to interp, such as those with -check, and pipes that the host fills or reads.

The environment variable LOCKSTEP_CPU limits the processor features that native uses:
avx512, avx2, or none for no machine code. lockstep run -v prints the engine, and the
reason where auto takes interp. With -check, -report, -stats=lines, -explain memory or lanes, and for
kernels whose asynchronous copies are observed, interp does the work.
`

const schedulesText = `OpenCL lets work-groups run in any order, and the sub-groups of a work-group too. An
asynchronous copy may complete at any time between its issue and the wait for it. A
correct kernel depends on neither. -schedule chooses, so that a wrong kernel can be
caught, and caught again.

The order of work-groups, and of the waves in them:

  in-order   ascending numbers (the default). Work-groups run on several CPUs where no
             kernel can see that
  reverse    descending numbers
  seeded     a random order drawn from -seed N. Another N gives another order

The completion of asynchronous copies:

  early      at issue (the default)
  late       at the wait, at the end of the work-group, or when the queue is full
  paced      -dma-engines N engines move -dma-step BYTES in a tick each. Timelines show
             most in this schedule (lockstep help trace)
  seeded     at random times drawn from -seed N. Copies overtake each other, and the lines
             of one copy land in any order

-schedule takes one name, or one of each kind as ORDER+COMPLETION: reverse+late. The name
seeded alone means seeded+seeded. Kernels that run together take turns in the order of the
schedule (lockstep help pipes).

The same schedule and seed give the same memory, output, counters and findings on every
machine, with any -workers. A finding prints the flags that repeat it. The findings of
-check about copies do not depend on when copies complete.

lockstep explore runs kernels under many schedules, sub-group sizes and wave widths, and says
whether they agree.
`

const pipesText = `A pipe is a queue of packets of one size. Kernels that share pipes run together: each
one makes progress while the others do, and none has to end before another one starts.

  lockstep run k.spv -pipe a=i32:16 -pipe b=i32:16 \
    -kernel source -global 1 -arg pipe:a -arg i32:100 \
    -with -kernel twice -global 1 -arg pipe:a -arg pipe:b -arg i32:100 \
    -with -kernel sink -global 100 -arg pipe:b -arg zero:i32:100 -out 1=-

Pipes of a command
  -pipe NAME=PACKET:CAPACITY[:SPEC] makes a pipe that holds CAPACITY packets. The argument
  pipe:NAME gives a kernel one end of it. PACKET is a number of bytes or a type: 4, f32,
  f32x4. SPEC is the initial contents: iota:i32:8, in:x.bin, in:- for standard input. A
  pipe of one kernel needs no name: -arg pipe:i32:16:iota:i32:8.
  Contents beyond the capacity follow while the kernels run, so a file may be larger than
  memory. -out INDEX=PATH or -out NAME=PATH writes the packets that no kernel has read.
  If no kernel of the command reads the pipe, packets are written as they arrive, without
  a limit; otherwise -out writes the packets that are left at the end.

Pipes of the program
  A module can declare pipes that all its kernels share (lockstep info lists them). They
  need no argument, and are empty when a command starts.

Several kernels
  -with starts another kernel. The flags -kernel, -global, -local, -offset, -arg, -out,
  -spec, -repeat and MODULE behind -with are about that kernel; all other flags are about
  all kernels. Without MODULE, the kernel is of the same module as the one before.
  -repeat N runs N instances of the kernel. In its -kernel, -global, -local, -offset, -arg
  and -out, {i} stands for the number of the instance, from 0, and {i+1}, {i/4} or {i%4+1}
  for a number computed from it, from left to right. -pipe 'c{0..7}=i32:1' makes the pipes
  c0 to c7, so that this is a chain:
    -pipe 'c{0..7}=i32:1' -with -repeat 7 -kernel twice … -arg 'pipe:c{i}' -arg 'pipe:c{i+1}'
  -buffer NAME=SPEC makes a buffer that kernels share as the argument buffer:NAME.
  -out NAME=PATH writes it.
  -then starts a kernel that runs when all kernels before it have ended; the flags behind
  it are as behind -with. It shares buffers of -buffer with them. A fault ends the command
  before the next -then, unless -keep-going is given:
    lockstep run k.spv -buffer x=rand:f32:1k:1 -kernel scale -global 1024 -arg buffer:x \
      -then -kernel sum -global 1024 -arg buffer:x -arg zero:f32:1 -out 1=-
  @FILE stands for the arguments in a file, separated by white space. '…' and "…" keep
  white space, a backslash keeps the character behind it, and # starts a comment. {}/ in
  it, at the beginning of an argument or behind a : or =, is the folder of the file. The
  value of a flag is never read from a file.

Turns
  Kernels that run together take turns on one logical clock, whatever the number of CPUs.
  A launch starts with one work-group. More work-groups join when all that have started
  wait, or when no packet has moved for a while. A work-group that waits at a pipe gets no
  turn until a packet has moved there. A loop that polls a pipe gives way when it got
  nothing; if it never gets anything, only -timeout ends it. The host, which fills and
  empties pipes, takes turns like a kernel.
  -schedule in-order gives turns in the order of the command line, reverse in the opposite
  order; seeded draws launch, wave and length of each turn from -seed N. The same schedule
  and seed give the same run, with any -workers. Packets are never lost, torn, doubled or
  out of order. The schedule decides which reader gets a packet where several read, and
  the result of operations that do not wait; -wave changes these turns too.

The model
  A packet is ready for readers when its write, or the reservation that holds it, is
  committed, and all reservations before it are. Room is free again when the read is
  committed, likewise. The work-items of a wave execute a pipe instruction one after the
  other, the lowest first. read_pipe and write_pipe never wait: they return 0, or -1 where
  there was no packet or no room. The operations of SPV_INTEL_blocking_pipes wait.

Findings (lockstep help CODE)
  E-PIPEDEADLOCK   no kernel is left to move a packet that another one waits for. It names
                   the waiting kernels and pipes, and the kernels that could have helped
  E-PIPESIZE       the size of packets differs from that of the pipe
  E-PIPEDIRECTION  a pipe is used through its other end
  E-PIPERESERVE    a reservation is invalid, of another work-item, or already committed
  E-PIPEINDEX      the reservation does not have that packet
  E-PIPEOPEN       a reservation is never committed
  E-PIPEUNWRITTEN  a reservation is committed with packets that were not written (-check)

-explain pipes shows the packets that went through each pipe, the kernels that waited, and
the bottleneck. -trace FILE shows the way of each packet (lockstep help trace).
`

const traceText = `A timeline shows a launch on the logical clock of its schedule: when waves run, when
copies are issued, move and complete, which waves wait for them and how long, and when
barriers open.

  lockstep run k.spv … -schedule paced -explain async
  lockstep run k.spv … -schedule paced -trace k.json
  lockstep run k.spv … -explain pipes
  lockstep run k.spv … -explain memory
  lockstep run k.spv … -explain lanes
  lockstep run k.spv … -report k.html
  lockstep run k.spv … -picture timeline=k.svg

The clock counts ticks: one for each instruction that a wave issues, more where the wave
waits for a copy. Waves of a work-group take turns on one clock, and a traced launch runs
its work-groups one after the other. No clock of the machine is involved: the same run
gives the same file. Ticks are not the timing of a product. -dma-engines, -dma-queue and
-dma-step set the number, the queues and the speed of DMA engines. In the default
schedule, early, copies take no time; use paced to see them.

-explain async prints the events of the first four work-groups with their ticks and lines
of source, and a picture with a row for each wave and each DMA engine. A summary of all
work-groups follows: how much was copied, how much of that time waves computed, and how
long they waited. A wait for event 3 waits for the copies of that event; a wait until
marks ≤ 1 waits for the copies that the work-items issued before their last async mark
but one. A terminal of 80 to 120 columns widens the picture.

-explain pipes is for kernels that run together (lockstep help pipes). Its picture has a
row for each launch, which runs (#), waits for packets (r) or for room (w), or gives way
(g), and a row for each pipe, which shows how full the pipe is, in tenths. Below, it
prints for each pipe the packets that each kernel wrote and read, the average level, and
the waits. At the end it names the bottleneck: the kernel that the others waited for most,
less its own waits.

-explain memory is about the accesses of sub-groups to memory. For each load and store
of global memory it prints how many cache lines of 64 bytes the active lanes of a
sub-group touch, how many they would touch at best, and how much of these lines they
use. For local memory it prints how many passes over 32 banks of 4 bytes an access
takes; for atomic operations, how many lanes meet at one address.

-explain lanes prints, for each line of the source, how many instructions sub-groups
issue and how many of their lanes are active in them: where lanes diverge, few are.

-report FILE.html writes one page for a browser, which needs no network and no scripts: the
source with the counts of -stats=lines (lockstep help stats) beside each line, darker where
more instructions were issued, and findings under their lines. The page has only the lines
that did something of a file that has more than 5000 lines, has changed since the module was
compiled, or lies outside of the folder and is not on the command line. Of a module without
lines it has the instructions that ran. Below are pictures: timelines of the first four
work-groups, and of kernels that run together with their pipes; active lanes over time; lanes
and bytes by line; bank conflicts, and the words of each bank; and which of the first 64
work-items access which part of a buffer.

-picture KIND=FILE.svg writes a picture to a file of its own, for documents. It may be given again:

  work-items  the work-items of a launch in one or two dimensions, their groups and sub-groups
  timeline    waves, barriers and copies of the first four work-groups, or launches and their pipes
  lanes       active lanes of the first sub-groups over time
  idle        idle lanes by line of the source
  bytes       bytes of global memory that are asked for and that move, by line
  conflicts   how many accesses to local memory had how many bank conflicts
  banks       how many words accesses took from each bank of local memory
  accesses    which of the first 64 work-items access which part of each buffer

-trace FILE writes Chrome's trace event format. Open it at https://ui.perfetto.dev with
"Open trace file" (the file stays on your machine), or in Chrome at chrome://tracing:

  process     a work-group
  threads     its waves, with their turns, copies, waits and async marks; its DMA engines,
              with each copy from its first byte to its last (overlapping copies of one
              engine get a thread each)
  arrows      from the issue of a copy to the copy, and from the copy that ended a wait to
              the wait. Perfetto draws the arrows of the selected slice
  1 µs        a tick

For kernels that run together, a process is a launch, and its threads are the waves of its
work-groups. One more process has the pipes: how many packets each one holds over time,
and rows with the writes and reads. Arrows lead from the turn that wrote packets to the
turn that read them.

In Perfetto, W and S zoom, A and D move. A click on a copy shows its bytes, lines, source,
destination, event, and the line of source that issued it.

-trace - writes the file to standard output; what the kernel prints then goes to standard
error. A launch that faults leaves the trace up to the fault. -trace-limit N ends a trace
after N events; the trace then says so. With pipes, a million events can make a file of
1 GB.
`

const statsText = `-stats prints counters of a run, and times, to standard error. -stats=lines prints instead a table
with a row for each line of the source that did something. With -json it stands in the document:

  lockstep run k.cl … -stats=lines
  lockstep run k.cl … -stats=lines -subgroup 8 -json

  executed        how often sub-groups came to the line: to that of its instructions to which they
                  came most often
  idle            of the lanes of sub-groups, how many were not active when the line's instructions
                  ran: because lanes diverge, or because the work-group does not fill its sub-groups
  at barriers     how often sub-groups came to a barrier of the work-group
  ticks waited    how long they waited there for the last sub-group of their work-group. A tick is an
                  instruction that a sub-group issues, as if each had a processor of its own
  LDS passes      over the 32 banks of 4 bytes that accesses to local memory took
  conflicts       of these, the extra ones: each is a cycle that a better layout would not take
  bytes asked     of global memory, by the lanes of sub-groups. A byte that several lanes of an access
                  ask for counts once
  moved           bytes of the cache lines of 64 bytes that hold these, for each access anew; and the
                  part of them that is used
  atomics         atomic operations that sub-groups issued, with the average number of active lanes,
                  and of lanes that met at one address: those happen one after the other
  copies          asynchronous copies that were issued here, and their bytes
  in flight       ticks of the schedule's clock (lockstep help trace) in which one of them was between
                  its issue and its completion; overlap is how many of these a wave of the work-group
                  ran in. In the default schedule copies take no time; see -schedule paced
  waited          ticks that waits for copies took here

Columns without a number in any row are left out, and named below the table. A module without line
information has a row for each of its instructions, with its place in words.

The counts depend on the kernel, the launch and the sub-group size, those of copies also on the
schedule and -wave, and on nothing else: engine, -workers and machine make no difference. They are
a model of a common GPU, not the timing of a product. Accesses to images and pipes do not count, nor
do accesses of asynchronous copies. The reference engine does the work, so that -stats=lines takes
longer than a plain run. -report shows the same counts in a page, with pictures.
`

const exitText = `exit status
  0   the command is done, and nothing was found
  1   the kernel faulted, a check found something, runs of explore differ, a module breaks
      a rule, a conformance case failed, or grade found a kernel not right
  2   wrong usage or input, or a file that cannot be read or written
`

// JSONText is the help text about -json.
const JSONText = `With -json, the commands run, explore, info, validate, grade, conformance and driver print one JSON document
on standard output, in UTF-8, wherever else text would stand. lockstep schema prints a JSON
Schema of all of them. Each begins with

  "schema"     the version of these documents, 1. It grows when a field goes away or changes
               its meaning; new fields do not change it
  "document"   which document it is: "run", "explore", "explore-exhaustive" (-exhaustive), "info",
               "info-opcodes" (-opcodes), "validate", "conformance", "conformance-list" (-list),
               "conformance-matrix" (-matrix), "grade", "grade-list" (without a kernel), "driver",
               "launch" (of exec) or "error"

The document of run has, among others,

  "launches"   a list, also of one kernel: its module, kernel, engine (the one that ran it),
               sizes, counters, and how many of the findings are its own
  "outputs"    the -out flags; one to - has its values here: numbers, and the strings "inf",
               "-inf" and "nan"
  "printf"     what the kernels printed
  "findings"   a list: code, message, detail, kernel, object, access, work_item, place with
               the inlined calls, parties, notes, help, and how often it happened (of E-RACE:
               for how many bytes of memory work-items race)
  "partial_checks"  with -check: a list of checks that had no room for all that they have to
               remember, with the code whose findings may be missing, and the reason. Mostly
               there is none
  "completed"  true when every work-group ran to its end
  "explanation"  the text of -explain
  "stats"      with -stats=lines: the bytes of cache lines and banks of the model, and in "lines"
               the counts of each line, or of each instruction of a module without lines
               (lockstep help stats): file, line, executions, active_lanes and idle_lanes, barriers
               and barrier_ticks, local_passes and local_conflicts, global_asked_bytes and
               global_moved_bytes, atomics with atomic_lanes and atomic_lanes_at_one_address, and
               copies with copy_bytes, copy_ticks, copy_overlap_ticks and copy_wait_ticks
  "timing"     with -stats alone. Only this, and the engine where that is left to lockstep, may
               differ from run to run

The document of explore has, among others,

  "agree"      true when all runs that were made have the same outcome
  "planned"    how many runs there were to be, and "made" how many were made
  "outcomes"   a list: the number of runs, the first of them with its configuration, the
               command that makes it, findings, and digests of memory and output
  "difference" where the first two outcomes part: the object, the index of the element, its
               values, and the stores that wrote them; and in "first_access" the first access at
               which they part: the kernel, the work-item, the number of the access among its
               own, and in "accesses" what it does in each of the two
  "unfinished" runs that the time limit or Ctrl-C cut short

lockstep exec -json prints a document launch for each launch of the program, one a line, on standard
error or to the file of -log: standard output is the program's. It has

  "number"     of the launch, from 1, as in the folder of -record
  "kernel", "engine", "schedule", sizes, "findings", "partial_checks", "completed" and "counters"
               as in the document of run
  "error"      why the launch did not start
  "host"       the call that launched it, where that is known: "api" is the function of OpenCL,
               "function", "file" and "line" are of the program, and "offset" is what addr2line
               takes for the file "module"
  "recorded"   the file of arguments of -record, and "timeline" the file of -trace

lockstep merge prints the document of the command whose results it puts together.

Where OpenCL C was compiled, the documents of run, explore, info, validate and error have

  "diagnostics"  what the compiler said: file, line and column, the end of the place, severity
               ("fatal error", "error", "warning" or "note"), the flag of a warning, message,
               fix (text to put there) and notes, which are diagnostics, too. Places have
               columns in bytes, from 1

A command that cannot do its work prints a document "error" with the message, its kind
("usage", "failed", "timeout" or "cancelled") and the command that explains; standard error has the
same message as text. Exit statuses are those of lockstep help exit.

run and validate -sarif FILE write the findings, or the broken rules, as SARIF 2.1.0, the format
that services for code scanning and editors take: codes as rules with their descriptions, places
with the line of source, the other side of a race as a related location, inlined calls as stacks,
and fingerprints that stay the same on every machine and where lines move. What "partial_checks"
says of run stands there as notifications of the invocation. A command that cannot
do its work writes none.
`

const memoryText = `-memory weak shows what the memory model of OpenCL allows beyond interleavings. Where neither
a barrier nor an acquire that reads what a release has written orders two accesses, a load may
return what was stored before, work-items may meet stores in different orders, and a load may
be performed after stores behind it. So a missing acquire, release or barrier shows in results.
A kernel without data races that uses no weaker order than seq_cst has the results that it
always has.

  lockstep explore k.cl -global 2 -local 1 -arg zero:i32:2 -arg zero:i32:2 -exhaustive -memory weak
  lockstep run k.cl -global 256 -arg zero:i32:1k -memory weak -schedule seeded -seed 7

lockstep explore -exhaustive tries, of a small launch, all interleavings and all values that
loads may return, but no two executions that are equivalent. It says how many there are, and
prints for each outcome a command that runs it again (-choices). An outcome is what memory holds
in the end, which is the last store to each place in its modification order.

lockstep run and lockstep explore without -exhaustive run launches of any size, one work-group
after the other. -schedule chooses what loads return: in the order in-order the oldest value that
the model allows, in the order reverse the newest, and in the order seeded, values, the places of
stores and late loads are drawn from -seed. No work-item reads an old value for ever, so that
loops that wait for another one end.

The model
  Each place in memory has a history, its writes in modification order, and each work-item a view
  of it: what it has read or written, or knows by an acquire, is the oldest that it reads. A
  release attaches a view to what it writes, and to what follows in its release sequence; an
  acquire takes it. A store may stand before others in modification order that its work-item does
  not know; a read-modify-write stands directly behind what it has read. This is the machine of
  Kang, Hur, Lahav, Vafeiadis and Dreyer (A Promising Semantics for Relaxed-Memory Concurrency,
  POPL 2017) with scopes, without promises.
  Orders and scopes are those of the OpenCL 3.0 API specification, 3.3.6 and 3.3.7. A release and
  an acquire synchronize where the scope of each includes the other work-item. Global and local
  memory are ordered apart: a fence or a barrier orders the kinds of its flags, an atomic
  operation the kind that it works on; both are ordered between fences with both flags, and
  between seq_cst operations.
  seq_cst operations have one order, that in which they run. Fences of seq_cst order everything
  before them ahead of everything behind those that follow.
  Accesses that are not atomic may return old values as relaxed ones do, and need not be coherent
  with each other: two loads of one place may return a new value and then an old one, unless a
  fence that acquires and releases, or a barrier, stands in between. To a program with such a race
  OpenCL promises nothing at all; -check finds it.
  A relaxed load, or one that is not atomic, may be performed late: until its value is used, its
  work-item accesses the place again, or comes to an acquire fence, a seq_cst operation, a branch
  or a barrier. So load buffering shows, and values out of thin air never do.
  At the end of the launch all is visible.

What is left out
  Executions that C11 allows because of cycles of program order and reads: late loads beyond
  branches, acquire loads and read-modify-writes that are late, and seq_cst operations that run
  in another order than relaxed accesses have told their work-items of each other. seq_cst fences
  order what those of C++20 do, which is more than C11 asks for.
  Optimizations of compilers that merge, invent or drop accesses, but for those that lockstep's own
  compiler makes of accesses that are neither atomic nor volatile.
  Accesses of different sizes to the same bytes: each piece is read by itself. Images and printf
  are as without -memory. Pipes, asynchronous copies and compiled modules are refused. In launches
  that write more than half a million places, further ones have no history; a note says so.
  -check looks for no uninitialised values then.
`
