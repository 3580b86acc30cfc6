// Package playground answers the requests of a page in a browser, in which lockstep runs as WebAssembly: it compiles
// kernels, runs them, judges exercises and steps through launches in a debugger, and runs the commands of lockstep on
// files in memory.
//
// A request and its response are JSON documents, [Request] and [Response]. [Server.Call] takes one and returns the
// other; in the browser, the program in cmd/lockstep/playground offers it to JavaScript as
//
//	globalThis.lockstepCall(request: string): Promise<string>
//
// and calls globalThis.lockstepReady, if that is a function, once it can be called.
//
// The package reads no files of the machine, knows no HTML and draws nothing of its own: pictures are those of
// `lockstep run -picture`. It holds debug sessions, and nothing else, between two requests. Requests come from people
// who experiment: whatever they hold ends in a response, within limits of memory and time.
//
// This file is the protocol. Names of fields are stable. A list that is empty is [] or missing.
package playground

import (
	"encoding/json"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Protocol is the number of this protocol; it changes when a field changes its meaning or goes.
const Protocol = 2

// The operations.
const (
	OpVersion          = "version"          // → Response.Version
	OpLessons          = "lessons"          // → Response.Lessons
	OpCommand          = "command"          // Request.Args, Files → Response.Command
	OpCompile          = "compile"          // Request.Source → Response.Compile
	OpLaunchOf         = "launchOf"         // Request.Args, words of a command line of `lockstep run` → Response.Launch
	OpCommandOf        = "commandOf"        // Request.Launch → Response.Line
	OpRun              = "run"              // Request.Launch, or Args and Files as of a command → Response.Run
	OpDebugOpen        = "debugOpen"        // Request.Launch, View → Response.State
	OpDebugStep        = "debugStep"        // Request.Session, Step, View → Response.State
	OpDebugGoto        = "debugGoto"        // Request.Session, Tick, View → Response.State
	OpDebugBreakpoints = "debugBreakpoints" // Request.Session, Breakpoints, View → Response.State
	OpDebugSelect      = "debugSelect"      // Request.Session, Item or Frame, View → Response.State
	OpDebugEvaluate    = "debugEvaluate"    // Request.Session, Expression, View → Response.Value, State
	OpDebugTimeline    = "debugTimeline"    // Request.Session, Range → Response.Timeline
	OpDebugClose       = "debugClose"       // Request.Session → nothing; a new debugOpen closes the session before it
)

// Request is what a page asks for. Op says what, and which of the other fields count.
type Request struct {
	Op string `json:"op"`
	// ID is anything; the response has it too.
	ID json.RawMessage `json:"id,omitempty"`
	// Milliseconds bounds the work for the request; 0 is 10 s. What ends then has the finding E-TIMEOUT, as
	// `lockstep run -timeout` has it. A page that does not want to wait ends the worker.
	Milliseconds int `json:"milliseconds,omitempty"`

	// Args are the words of a command line, without "lockstep": ["run", "k.cl", "-global", "8"]. Line is the same as
	// one text, as a shell splits it; a word "lockstep" in front does no harm. One of the two is wanted.
	Args []string `json:"args,omitempty"`
	Line string   `json:"line,omitempty"`
	// Files are the files that a command or a launch finds, by path, over those of the course (docs/course/…). A value
	// of the form "base64:…" is binary. Stdin is standard input.
	Files map[string]string `json:"files,omitempty"`
	Stdin string            `json:"stdin,omitempty"`

	Source *Source `json:"source,omitempty"`
	Launch *Launch `json:"launch,omitempty"`

	Session     int          `json:"session,omitempty"`
	Step        *Step        `json:"step,omitempty"`
	Tick        uint64       `json:"tick,omitempty"`
	Breakpoints []Breakpoint `json:"breakpoints,omitempty"` // the list that the session has from now on
	Item        *int         `json:"item,omitempty"`        // work-item of the group that runs, by number
	Frame       *int         `json:"frame,omitempty"`       // of the work-item: 0 is the innermost
	Group       *GroupChoice `json:"group,omitempty"`       // work-group in progress, where several launches run
	Expression  string       `json:"expression,omitempty"`
	View        *View        `json:"view,omitempty"`  // what the state is to have; nil is the zero View
	Range       *TickRange   `json:"range,omitempty"` // of a timeline; nil is all
}

// Response is the answer. Error is "" when the request could be answered; what goes wrong in a kernel, or in a source,
// is no error of the request but stands in Run, Compile or State.
type Response struct {
	Op    string          `json:"op"`
	ID    json.RawMessage `json:"id,omitempty"`
	Error string          `json:"error,omitempty"`

	Version *Version       `json:"version,omitempty"`
	Lessons []Lesson       `json:"lessons,omitempty"`
	Command *CommandResult `json:"command,omitempty"`
	Compile *CompileResult `json:"compile,omitempty"`
	Launch  *Launch        `json:"launch,omitempty"`
	Line    string         `json:"line,omitempty"` // a command line: "lockstep run k.cl …"
	Run     *RunResult     `json:"run,omitempty"`
	State   *State         `json:"state,omitempty"`
	Value   *Value         `json:"value,omitempty"`
	// Timeline is that of a debug session, on its clock: State.Tick.
	Timeline *Timeline `json:"timeline,omitempty"`
}

// TickRange is some ticks of the clock of a debug session, [From, To).
type TickRange struct {
	From    uint64 `json:"from,omitempty"`
	To      uint64 `json:"to,omitempty"`      // 0 is the end of the launch
	Columns int    `json:"columns,omitempty"` // at how many ticks to look; 0 is 400, 2000 at most
}

// Version says what answers.
type Version struct {
	Lockstep string `json:"lockstep"` // as `lockstep version` calls it
	Protocol int    `json:"protocol"`
	Go       string `json:"go"`
	// Text is what `lockstep version` prints.
	Text string `json:"text"`
}

// Lesson is a lesson of the course.
type Lesson struct {
	Number int    `json:"number"`
	ID     string `json:"id"`     // "4"
	Folder string `json:"folder"` // "04-races"; paths in Files begin with "docs/course/04-races/"
	Title  string `json:"title"`
	// Markdown is the text of the lesson. Links lead to files of the folder ("early.cl"), to other lessons
	// ("../05-divergence") and to sections ("#a-race-that-shows").
	Markdown string `json:"markdown"`
	// Pictures are SVG documents by name in the folder: "rounds.svg". The Markdown has their text alternatives.
	Pictures map[string]string `json:"pictures,omitempty"`
	// Sources are the kernels of the folder by name: "early.cl".
	Sources   map[string]string `json:"sources"`
	Examples  []Example         `json:"examples"` // in the order of the Markdown
	Exercises []Exercise        `json:"exercises"`
}

// Example is a command line in the text of a lesson.
type Example struct {
	ID string `json:"id"` // "4-1": number of the lesson, and of the example in the lesson
	// Line is the text as it stands in the Markdown, on line MarkdownLine, counted from 1, within a block ```sh that
	// begins on line BlockLine. Commands of one block run in order, on the same files.
	Line         string   `json:"line"`
	MarkdownLine int      `json:"markdown_line"`
	BlockLine    int      `json:"block_line"`
	Args         []string `json:"args"` // without "lockstep"; nil for commands that are not lockstep's
	// Source is the path of the kernel that it runs, "" if there is none.
	Source string `json:"source,omitempty"`
	// Output is what the whole block prints as the Markdown shows it; the last example of the block has it.
	Output string `json:"output,omitempty"`
}

// Exercise is an exercise of a lesson.
type Exercise struct {
	ID   string `json:"id"` // "4.2": `lockstep grade 4.2 FILE`
	Name string `json:"name"`
	Path string `json:"path"` // of the start file: "docs/course/04-races/smooth.cl"
	Task string `json:"task"` // the comment that the start begins with, without the marks of a comment
	// Start is the source to begin with.
	Start    string           `json:"start"`
	Kernels  []string         `json:"kernels"` // that a solution has
	Launches []ExerciseLaunch `json:"launches"`
}

// ExerciseLaunch is a launch that an exercise is judged by.
type ExerciseLaunch struct {
	Flags string `json:"flags"` // of lockstep run
	Note  string `json:"note,omitempty"`
}

// CommandResult is what a command did: byte by byte what `lockstep` does on a command line that is no terminal.
type CommandResult struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"` // 0 done, 1 something was found, 2 wrong usage or input
	// Files are those that the command wrote, by path; "base64:…" for those that are not text.
	Files map[string]string `json:"files,omitempty"`
	// Truncated says that output was dropped since there was too much.
	Truncated bool `json:"truncated,omitempty"`
}

// Source is a source in OpenCL C.
type Source struct {
	Name    string `json:"name,omitempty"` // of the file, for messages; "" is kernel.cl
	Text    string `json:"text"`
	Options string `json:"options,omitempty"` // as clBuildProgram takes them: "-cl-std=CL2.0 -D N=4 -Wall"
}

// CompileResult says what a source is.
type CompileResult struct {
	// OK says that there are no errors.
	OK bool `json:"ok"`
	// OptionsError says what is wrong with the options.
	OptionsError string `json:"options_error,omitempty"`
	// Diagnostics have severity ("fatal error", "error", "warning"), flag (of -W), message, file, line, column, end_line,
	// end_column (columns in bytes from 1, the end behind the last), fix, which replaces the range, and notes, of the same
	// form. A diagnostic without end_line is about one character.
	Diagnostics []clc.Diagnostic `json:"diagnostics"`
	// Text is the same for people, as `lockstep cc` prints it.
	Text    string   `json:"text,omitempty"`
	Kernels []Kernel `json:"kernels"` // in the order of the module
}

// Kernel is a kernel of a source, with values for forms.
type Kernel struct {
	Name   string      `json:"name"`
	Line   int         `json:"line,omitempty"` // where its name stands in the source
	Params []Parameter `json:"params"`
	// RequiredLocal is reqd_work_group_size, LocalHint work_group_size_hint; nil without one.
	RequiredLocal []uint32 `json:"required_local,omitempty"`
	LocalHint     []uint32 `json:"local_hint,omitempty"`
	// RequiredSubgroup is intel_reqd_sub_group_size; 0 without one.
	RequiredSubgroup uint32 `json:"required_subgroup,omitempty"`
	// Global and Local are a launch to start from: "64" and "16".
	Global string `json:"global"`
	Local  string `json:"local"`
}

// Parameter is a parameter of a kernel.
type Parameter struct {
	Name string `json:"name"`
	Type string `json:"type"` // for people: "global const float*"
	// Kind is buffer, local, scalar, image, sampler or pipe.
	Kind    string `json:"kind"`
	Element string `json:"element,omitempty"` // of buffers, scalars and pipes, as -arg has it: "f32", "i32x4"
	Access  string `json:"access,omitempty"`  // "read", "write", "read_write", of buffers what const says
	Bytes   uint64 `json:"bytes,omitempty"`   // of scalars and elements
	// Default is a SPEC of -arg that fits the launch of the kernel, such as "iota:f32:64".
	Default string `json:"default"`
	// Printable says that "-out NAME=-" prints it.
	Printable bool `json:"printable,omitempty"`
}

// Launch is a kernel with all that it runs with. It stands for a command line of `lockstep run`; commandOf makes that of
// it, and launchOf a launch of a command line.
type Launch struct {
	Source Source `json:"source"`
	Kernel string `json:"kernel,omitempty"` // "" is the only one there is
	Args   []Arg  `json:"args"`
	Global string `json:"global"` // "64" or "8,8"
	Local  string `json:"local,omitempty"`
	Offset string `json:"offset,omitempty"`

	Subgroup  int    `json:"subgroup,omitempty"` // lanes; 0 is what the kernel requires, or 32
	Wave      int    `json:"wave,omitempty"`     // lanes; 0 as lockstep likes
	Schedule  string `json:"schedule,omitempty"` // "in-order", "reverse", "seeded", "late", "reverse+late" …
	Seed      uint64 `json:"seed,omitempty"`
	Check     bool   `json:"check,omitempty"`      // data races, values never set and so on
	KeepGoing bool   `json:"keep_going,omitempty"` // run all work-groups behind a fault

	// Flags are further words of the command line, such as "-with", "second.cl", "-pipe", "p=i32:4". With them the
	// launch may have several kernels; these cannot be debugged.
	Flags []string `json:"flags,omitempty"`
	// Files are the files that the launch finds, by path, over those of the course: headers, inputs, other sources.
	Files map[string]string `json:"files,omitempty"`
}

// Arg is an argument.
type Arg struct {
	Spec string `json:"spec"`          // as -arg has it: "iota:f32:8", "f32:2", "local:64"
	Out  bool   `json:"out,omitempty"` // print it afterwards: -out NAME=-
}

// RunResult is what a launch did.
type RunResult struct {
	CommandResult
	// Line is the command line that does the same.
	Line string `json:"line"`
	// Ran says that the launch began. Without it, Stderr says why, and the rest is empty.
	Ran bool `json:"ran"`
	// Document is what `lockstep run -json` prints for the launch (`lockstep schema run` has its JSON Schema): findings,
	// outputs with their values, counters, printf and so on.
	Document json.RawMessage `json:"document,omitempty"`
	// Findings are those of the document.
	Findings []finding.Finding `json:"findings,omitempty"`
	// Diagnostics are what the compiler says.
	Diagnostics []clc.Diagnostic `json:"diagnostics,omitempty"`

	// Lines are counts by line of the source, the heat.
	Lines []LineCount `json:"lines"`
	// Complete says that no count was cut off.
	Complete bool `json:"complete"`
	// Accesses are the instructions that access memory, in the order of the source, each with one access as an example.
	Accesses []Access `json:"accesses"`
	// Timelines show work-groups on the logical clock, or, of kernels that run together, these and their pipes first.
	Timelines []Timeline `json:"timelines"`
	// GroupsLeft is how many work-groups have no timeline.
	GroupsLeft uint64 `json:"groups_left,omitempty"`
	// Lanes are how many lanes of the first sub-groups were active over time.
	Lanes []LaneStrip `json:"lanes,omitempty"`
	// Divergence is how the lanes of the first sub-group of each stage parted.
	Divergence []Divergence `json:"divergence,omitempty"`
	// Banks are the words that accesses took from each bank of LDS; nil without LDS.
	Banks []uint64 `json:"banks,omitempty"`
	// Conflicts are how many accesses took how many passes over the banks beyond those needed.
	Conflicts []Conflict `json:"conflicts,omitempty"`
	// AccessMaps say which work-item accessed which part of a buffer.
	AccessMaps []AccessMap `json:"access_maps,omitempty"`
	// Pictures are the SVG documents of `lockstep run -picture`, with titles and descriptions for those who do not see
	// them, by kind: work-items, timeline, lanes, idle, bytes, conflicts, banks, accesses.
	Pictures map[string]string `json:"pictures,omitempty"`
}

// Divergence is how the lanes of the first sub-group of a launch parted.
type Divergence struct {
	Launch string  `json:"launch"`
	Root   *Branch `json:"root"`
}

// LineCount is what sub-groups did for a line of the source (lockstep help stats).
type LineCount struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Source string `json:"source,omitempty"`

	Executions   uint64 `json:"executions"`   // how often sub-groups came to the line
	Instructions uint64 `json:"instructions"` // that sub-groups issued
	Lanes        uint64 `json:"lanes"`        // active lanes in these, added up, of Room
	Room         uint64 `json:"room"`

	Barriers     uint64 `json:"barriers,omitempty"` // how often sub-groups came to a barrier of the work-group
	BarrierTicks uint64 `json:"barrier_ticks,omitempty"`

	BytesAsked       uint64 `json:"bytes_asked,omitempty"` // of global memory
	BytesMoved       uint64 `json:"bytes_moved,omitempty"` // whole cache lines
	CacheLines       uint64 `json:"cache_lines,omitempty"`
	CacheLinesAtBest uint64 `json:"cache_lines_at_best,omitempty"`

	Passes       uint64 `json:"passes,omitempty"` // over the banks of LDS
	PassesAtBest uint64 `json:"passes_at_best,omitempty"`
	Conflicts    uint64 `json:"conflicts,omitempty"`

	Atomics     uint64 `json:"atomics,omitempty"`
	AtomicLanes uint64 `json:"atomic_lanes,omitempty"`
	Meeting     uint64 `json:"meeting,omitempty"` // lanes that met at one address

	Copies    uint64 `json:"copies,omitempty"` // asynchronous
	CopyBytes uint64 `json:"copy_bytes,omitempty"`
	Flight    uint64 `json:"flight,omitempty"`  // ticks in which a copy moved
	Overlap   uint64 `json:"overlap,omitempty"` // and a wave ran
	Waits     uint64 `json:"waits,omitempty"`
	WaitTicks uint64 `json:"wait_ticks,omitempty"`
}

// Access is an instruction that accesses memory, or, in a State, an access that has just happened.
type Access struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
	Kernel string `json:"kernel,omitempty"`
	Kind   string `json:"kind"`  // read, write or atomic
	Space  string `json:"space"` // global, constant or local
	Bytes  uint64 `json:"bytes"` // of a lane
	Memory string `json:"memory,omitempty"`
	// Count is how many accesses of sub-groups there were; 1 in a State.
	Count uint64 `json:"count"`
	// Segments is how many cache lines of SegmentBytes the example touches (global memory), or how many passes over the
	// banks it takes (LDS); AtBest is the fewest that the same bytes need.
	Segments     int `json:"segments"`
	AtBest       int `json:"at_best"`
	SegmentBytes int `json:"segment_bytes"`
	// Subgroup and Group say whose the example is, Size how many lanes a sub-group has.
	Subgroup int           `json:"subgroup"`
	Group    uint64        `json:"group"` // number of the work-group
	Size     int           `json:"size"`
	Lanes    []AccessLane  `json:"lanes"` // of the example: the active ones
	Parts    []SegmentPart `json:"parts"` // of the example: the cache lines, or the banks, that it uses
}

// AccessLane is what a lane accesses.
type AccessLane struct {
	Lane   int    `json:"lane"`
	Offset int64  `json:"offset"` // in Memory, in bytes
	Memory string `json:"memory,omitempty"`
	// Segment is the index in Parts of the first that the lane uses.
	Segment int `json:"segment"`
}

// SegmentPart is a cache line or a bank of LDS.
type SegmentPart struct {
	// Number is that of the bank, or how many cache lines of the memory stand before this one; Offset is the byte of the
	// memory at which the cache line begins.
	Number int64  `json:"number"`
	Offset int64  `json:"offset,omitempty"`
	Memory string `json:"memory,omitempty"`
	Lanes  int    `json:"lanes"` // that use it
	// Words is how many different words are taken from a bank: as many passes.
	Words int `json:"words,omitempty"`
}

// Timeline is a picture on the logical clock: ticks from Start to End.
type Timeline struct {
	Name string `json:"name"` // "group (0,0,0)"
	// Stage is the number of the stage, from 1, where -then has kernels run behind others; each stage has its own clock.
	Stage int `json:"stage,omitempty"`
	// Step is how many ticks there are between two that were looked at, in the timeline of a debug session.
	Step  uint64        `json:"step,omitempty"`
	Start uint64        `json:"start"`
	End   uint64        `json:"end"`
	Rows  []TimelineRow `json:"rows"`
	More  int           `json:"more,omitempty"` // rows that are left out
}

// TimelineRow is a wave, an engine for copies, a launch or a pipe.
type TimelineRow struct {
	Name  string         `json:"name"`
	Spans []TimelineSpan `json:"spans"`
	// Notes say more, with exact ticks. NotesLeft is how many there is no room for.
	Notes     []TimelineNote `json:"notes,omitempty"`
	NotesLeft int            `json:"notes_left,omitempty"`
}

// TimelineNote is something that happened in a row in the ticks [From, To).
type TimelineNote struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	// Kind is write or read (packets moved), waits-room or waits-packets, level (how many packets a pipe held), copy or
	// barrier.
	Kind string `json:"kind"`
	Text string `json:"text"` // for people: "source writes packet 3 to x (line 11)"
}

// TimelineSpan is some ticks of a row, [From, To).
type TimelineSpan struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	// Activity is run, issue, mark, copy-wait, barrier-wait, pipe-wait, idle, barrier (which opens), copy, copies,
	// waits-packets, waits-room, gave-way or level; in the timeline of a debug session group, too, a work-group, and waits,
	// for other lanes. Text says the same for people.
	Activity string `json:"activity"`
	Text     string `json:"text"`
	Tenths   int    `json:"tenths,omitempty"` // how full a pipe is
	// Lanes of Size are active, in the timeline of a debug session.
	Lanes int `json:"lanes,omitempty"`
	Size  int `json:"size,omitempty"`
}

// LaneStrip is how many lanes of a sub-group were active over time.
type LaneStrip struct {
	Launch   string       `json:"launch"`
	Subgroup int          `json:"subgroup"`
	Group    uint64       `json:"group"`
	Size     int          `json:"size"`
	End      uint64       `json:"end"`
	Columns  []LaneColumn `json:"columns"`
}

// LaneColumn is some ticks of a strip.
type LaneColumn struct {
	From  uint64 `json:"from"`
	To    uint64 `json:"to"`
	Ticks uint64 `json:"ticks"` // in which the sub-group issued instructions
	Lanes uint64 `json:"lanes"` // active, added up over these
}

// Branch is a node of the tree of divergence: a stretch that the same lanes run together. Its children run with some of
// these lanes, in their order.
type Branch struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line"` // the first one
	Last int    `json:"last"` // the last one
	// Lanes is how many lanes run, and Mask which: "##..##..", lane 0 first.
	Lanes int    `json:"lanes"`
	Mask  string `json:"mask"`
	// Times is how often in a row the stretch ran (a loop whose lanes stay the same is one node), Instructions what it
	// issued, without its children.
	Times        uint64    `json:"times"`
	Instructions uint64    `json:"instructions"`
	Children     []*Branch `json:"children,omitempty"`
	// Cut says that children were left out since there were too many.
	Cut bool `json:"cut,omitempty"`
}

// Conflict is how many accesses took how many passes too many.
type Conflict struct {
	Extra    uint64 `json:"extra"`
	Accesses uint64 `json:"accesses"`
}

// AccessMap says which of the first work-items of a launch accessed which part of a memory.
type AccessMap struct {
	Launch string         `json:"launch"`
	Memory string         `json:"memory"`
	Local  bool           `json:"local,omitempty"`
	First  int64          `json:"first"` // offset of the first column in bytes
	Unit   uint64         `json:"unit"`  // bytes of a column
	Cut    bool           `json:"cut,omitempty"`
	Items  uint64         `json:"items"` // of the launch
	Rows   []AccessMapRow `json:"rows"`
}

// AccessMapRow is a work-item, by its number in the launch.
type AccessMapRow struct {
	Item uint64 `json:"item"`
	// Cells has a character for each column: "." nothing, r read, w written, b both, a atomic.
	Cells string `json:"cells"`
}

// Step is a step of a debug session.
type Step struct {
	// Kind is over, into, out (lines), instruction, continue or finish (to the end of the launch).
	Kind string `json:"kind"`
	// Scope is who steps: lane (the selected work-item, the default), wave or group.
	Scope string `json:"scope,omitempty"`
	Back  bool   `json:"back,omitempty"`
}

// Breakpoint is a breakpoint of a debug session, or a watchpoint.
type Breakpoint struct {
	Number int `json:"number,omitempty"` // in states: its number, by which a stop names it
	// One of Line, Function, Instruction and Watch, an expression whose memory is watched, is wanted.
	File        string `json:"file,omitempty"` // "" is the source
	Line        int    `json:"line,omitempty"` // in states: the line that has code
	Function    string `json:"function,omitempty"`
	Instruction *int   `json:"instruction,omitempty"`
	Watch       string `json:"watch,omitempty"`
	WatchKind   string `json:"watch_kind,omitempty"` // write (the default), read or both

	Condition string  `json:"condition,omitempty"` // an expression of OpenCL C
	Item      *[3]int `json:"item,omitempty"`      // for the work-item with this global id only
	Ignore    uint64  `json:"ignore,omitempty"`    // hits that do not stop
	Hits      uint64  `json:"hits,omitempty"`      // in states
	Disabled  bool    `json:"disabled,omitempty"`
	// Error says, in states, why the breakpoint could not be set, or what is wrong with its condition.
	Error string `json:"error,omitempty"`
}

// View says what a state is to have, besides what it always has.
type View struct {
	// All is an expression to evaluate for all work-items of the group: State.All.
	All string `json:"all,omitempty"`
	// Watch are expressions to evaluate for the selected work-item: State.Watch.
	Watch []string `json:"watch,omitempty"`
	// Tables are pages of buffers and variables in LDS: State.Tables.
	Tables []TableView `json:"tables,omitempty"`
	// Expand are paths of variables whose parts are shown: "p", "p.x", "tile[0]".
	Expand []string `json:"expand,omitempty"`
	// Disassembly is how many instructions to show around the next one: State.Disassembly.
	Disassembly int `json:"disassembly,omitempty"`
	// Registers asks for the registers of the selected work-item.
	Registers bool `json:"registers,omitempty"`
}

// TableView asks for a page of a table.
type TableView struct {
	// Name is that of a buffer (State.Buffers) or a variable in LDS (State.LDS).
	Name string `json:"name"`
	// Element is a type of -arg to read it as: "f32"; "" is the one it has.
	Element string `json:"element,omitempty"`
	First   uint64 `json:"first,omitempty"`
	Count   int    `json:"count,omitempty"` // 0 is 64, 4096 at most
}

// State is where a debug session is, between two instructions of a wave.
type State struct {
	Session int    `json:"session"`
	Kernel  string `json:"kernel"`
	Tick    uint64 `json:"tick"` // the logical clock: instructions that waves have issued
	// End is the tick at which the launch ends, 0 as long as that is not known: runs of more than EndLimit ticks are not
	// run to their ends when they are opened.
	End      uint64 `json:"end,omitempty"`
	EndLimit uint64 `json:"end_limit"`
	// Begun and Ended say that the launch has begun, and that it is over: there are no work-items then.
	Begun bool `json:"begun"`
	Ended bool `json:"ended"`

	// Reason is why it stopped: begin, step, breakpoint, watchpoint, finding, item-ended, ended or paused (the time for
	// the request was over). Text says it for people.
	Reason      string            `json:"reason"`
	Text        string            `json:"text"`
	Hit         []int             `json:"hit,omitempty"` // numbers of breakpoints and watchpoints
	Watchpoints []WatchHit        `json:"watchpoints,omitempty"`
	Findings    []finding.Finding `json:"findings,omitempty"`   // that stopped it
	AllFindings []finding.Finding `json:"all_findings"`         // up to now
	NoHistory   string            `json:"no_history,omitempty"` // why there is no way back

	Dim        int        `json:"dim"`
	GlobalSize [3]uint64  `json:"global_size"`
	LocalSize  [3]uint32  `json:"local_size"` // of the group that runs
	Group      [3]uint64  `json:"group"`
	GroupsOver uint64     `json:"groups_over"`
	Groups     uint64     `json:"groups"`
	Current    int        `json:"current"` // the selected work-item, by number in the group; -1 for none
	Frame      int        `json:"frame"`
	Waves      []Wave     `json:"waves"`
	Items      []Item     `json:"items"` // of the group, by number
	Barriers   []Barrier  `json:"barriers,omitempty"`
	Frames     []Frame    `json:"frames"` // of the selected work-item, innermost first
	Variables  []Variable `json:"variables"`
	Registers  []Register `json:"registers,omitempty"`
	Watch      []Value    `json:"watch,omitempty"`
	All        *Grid      `json:"all,omitempty"`
	LDS        []Memory   `json:"lds,omitempty"`
	Buffers    []Memory   `json:"buffers"`
	Tables     []Table    `json:"tables,omitempty"`
	// Launches are the kernels that run together or one after the other, where there are several; Kernel and what else there is
	// of one are about the one whose work-group has its turn. Pipes are those of the kernels that run.
	Launches []DebugLaunch `json:"launches,omitempty"`
	Pipes    []DebugPipe   `json:"pipes,omitempty"`
	Copies   []Copy        `json:"copies,omitempty"` // in flight
	Marks    []Mark        `json:"marks,omitempty"`
	// Accesses are those of the instruction that was issued last.
	Accesses    []Access      `json:"accesses,omitempty"`
	Disassembly []Instruction `json:"disassembly,omitempty"`
	Breakpoints []Breakpoint  `json:"breakpoints"`
	Output      string        `json:"output,omitempty"`  // of printf, up to now
	Outputs     string        `json:"outputs,omitempty"` // once the launch has ended: what -out NAME=- prints
}

// WatchHit is an access to watched memory.
type WatchHit struct {
	Number int    `json:"number"`
	Text   string `json:"text"` // the expression
	Item   int    `json:"item"` // the first work-item in its group that did it
	Items  int    `json:"items"`
	Place  Place  `json:"place"`
	// Kernel is the launch whose work-item it is, where there are several.
	Kernel string `json:"kernel,omitempty"`
	Old    string `json:"old"` // "" for packets of a pipe: New says who moved which
	New    string `json:"new"`
}

// Place is a place in a source.
type Place struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line"` // 0: not known
	Column   int    `json:"column,omitempty"`
	Function string `json:"function,omitempty"`
}

// Wave is a wave of the work-group that runs.
type Wave struct {
	Number int   `json:"number"`
	First  int   `json:"first"` // its first work-item, by number in the group
	Lanes  int   `json:"lanes"`
	Turn   bool  `json:"turn"` // it issues the next instruction
	Next   Place `json:"next"` // what it issues next
	// Mask has a character for each lane: # active, w waits for others to come, b at a barrier, p at a pipe, h held
	// behind a barrier by a schedule, . ended.
	Mask string `json:"mask"`
}

// Item is a work-item of the work-group that runs.
type Item struct {
	Number   int       `json:"number"`
	Global   [3]uint64 `json:"global"`
	Local    [3]uint64 `json:"local"`
	Wave     int       `json:"wave"`
	Lane     int       `json:"lane"`
	Subgroup int       `json:"subgroup"`
	State    string    `json:"state"` // active, waits, barrier, pipe, held or ended
	Line     int       `json:"line"`  // of its next instruction; 0 for none
}

// Barrier is a barrier at which work-items wait.
type Barrier struct {
	Place   Place  `json:"place"`
	Scope   string `json:"scope"`   // work-group or sub-group
	Items   []int  `json:"items"`   // that wait, by number
	Missing []int  `json:"missing"` // that have not come and have not ended
}

// Frame is a function in which the selected work-item is.
type Frame struct {
	Function string `json:"function"`
	Place    Place  `json:"place"`
}

// Variable is a variable, or a part of one.
type Variable struct {
	Name  string `json:"name"`
	Path  string `json:"path"` // an expression that names it: "p.x", "tile[3]"
	Scope string `json:"scope,omitempty"`
	Line  int    `json:"line,omitempty"` // of its declaration
	Type  string `json:"type"`
	Value string `json:"value"`
	Error string `json:"error,omitempty"` // why there is no value
	// Parts is how many parts it has. Children are some of them, where View.Expand has the path.
	Parts    int        `json:"parts,omitempty"`
	Children []Variable `json:"children,omitempty"`
	// Changed says that the value is not the one of the state before, for the same work-item and frame.
	Changed bool `json:"changed,omitempty"`
}

// Register is a register of the bytecode.
type Register struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// Value is that of an expression.
type Value struct {
	Expression string `json:"expression"`
	Type       string `json:"type,omitempty"`
	Value      string `json:"value,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Grid is an expression for all work-items of the group.
type Grid struct {
	Expression string    `json:"expression"`
	Error      string    `json:"error,omitempty"`
	Size       [3]uint32 `json:"size"`
	Cells      []Cell    `json:"cells"`           // by number of the work-item
	Most       string    `json:"most,omitempty"`  // the value that most have
	Count      int       `json:"count,omitempty"` // how many
}

// Cell is an expression's value for a work-item.
type Cell struct {
	Value string `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
	// Number is the value, where it is a number that JSON has; pages colour by it.
	Number  *float64 `json:"number,omitempty"`
	Differs bool     `json:"differs,omitempty"` // most have another value
}

// Memory is a buffer, or a variable in LDS, of which tables can be had.
type Memory struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Element string `json:"element,omitempty"` // as -arg has it: "f32"
	Bytes   uint64 `json:"bytes"`
}

// Table is a page of a memory.
type Table struct {
	Name    string   `json:"name"`
	Element string   `json:"element"`
	First   uint64   `json:"first"`
	Count   uint64   `json:"count"` // of elements in all
	Values  []string `json:"values"`
	// Changed are indexes in Values of those that have changed since the state before.
	Changed []int  `json:"changed,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Copy is an asynchronous copy in flight.
type Copy struct {
	Number int    `json:"number"`
	Text   string `json:"text"` // for people
	Place  Place  `json:"place"`
	Wave   int    `json:"wave"`
	Bytes  uint64 `json:"bytes"`
	Moved  uint64 `json:"moved"`
	Issued uint64 `json:"issued"` // tick of the group's clock
}

// Mark is an async mark.
type Mark struct {
	Wave  int    `json:"wave"`
	Text  string `json:"text"`
	Place Place  `json:"place"`
}

// Instruction is an instruction of the bytecode.
type Instruction struct {
	PC    int    `json:"pc"`
	Text  string `json:"text"`
	Place Place  `json:"place"`
	Next  bool   `json:"next,omitempty"` // the wave of the selected work-item issues it next
}
