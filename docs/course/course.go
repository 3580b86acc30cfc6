// Package course has the lessons of the course on GPU programming: the folders of the lessons with their
// texts, kernels and pictures, and the exercises with the launches that judge them, reference functions in Go
// and limits of counters.
//
// It runs nothing: package docs/course/grade judges kernels by what stands here. Solutions are in the tests
// of that package only.
package course

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// files has the lessons, so that a program that is installed has them, too.
//
//go:embed [0-9]*
var files embed.FS

// Files returns the folders of all lessons.
func Files() fs.FS { return files }

// Lesson is one of the lessons.
type Lesson struct {
	Number    int
	Folder    string // "01-work-items"
	Title     string
	Exercises []*Exercise
}

// Lessons returns the lessons in their order.
func Lessons() []*Lesson { return lessons }

// Text returns the text of the lesson, in Markdown.
func (l *Lesson) Text() (string, error) {
	text, err := files.ReadFile(path.Join(l.Folder, "README.md"))
	return string(text), err
}

// Exercise is one of the exercises of a lesson.
type Exercise struct {
	Lesson *Lesson
	Number int    // in the lesson, from 1
	Name   string // the name of the start file, without its extension
	// Kernels are those that a solution has.
	Kernels []string
	Runs    []Run
	// Want returns what buffers hold after a run.
	Want func(a *Args) []Want
	// Limits bound what a right solution may cost.
	Limits []Limit
	Hints  []Hint
	// Subgroups are the sizes of sub-groups that it runs with; nil is 32 and 4.
	Subgroups []int
	// DMAStep is the bytes of an asynchronous copy that move in a tick; 0 is lockstep's default.
	DMAStep int
}

// ID is the number of the exercise in the course, as in "4.2".
func (e *Exercise) ID() string { return fmt.Sprintf("%d.%d", e.Lesson.Number, e.Number) }

// Path is the path of the start file in [Files].
func (e *Exercise) Path() string { return path.Join(e.Lesson.Folder, e.Name+".cl") }

// Start returns the start file.
func (e *Exercise) Start() (string, error) {
	text, err := files.ReadFile(e.Path())
	return string(text), err
}

// Task returns the text of the task: the comment that the start file begins with.
func (e *Exercise) Task() (string, error) {
	start, err := e.Start()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(start) {
		text, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		b.WriteString(strings.TrimPrefix(text, " "))
	}
	return b.String(), nil
}

// Run is a launch, or several: the flags of lockstep run, in their form there.
type Run struct {
	Flags string
	// Note says what is particular about it; "" for nothing.
	Note string
}

// Verdict is what a kernel is.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"
	Wrong     Verdict = "wrong"        // an element of a buffer is not what it should be
	Racy      Verdict = "racy"         // work-items race
	Undefined Verdict = "undefined"    // a check found something else that the language leaves undefined
	Fault     Verdict = "fault"        // a fault ended work-items, or all of them wait
	Slow      Verdict = "slow"         // right, with a counter beyond its limit
	Unusable  Verdict = "does not run" // it does not compile, or has not the kernels and parameters of the exercise
)

// Hint is a sentence that helps, and where the lesson explains more. It does not say the answer.
type Hint struct {
	For     Verdict
	Text    string
	Section string // a heading of the lesson's text
	// Lesson is the number of the lesson that has the section; 0 is that of the exercise.
	Lesson int
}

// generalHints are for verdicts of which an exercise says nothing of its own.
var generalHints = []Hint{
	{For: Racy, Text: "what should make one of the two accesses come before the other?", Section: "The check for races", Lesson: 4},
	{For: Undefined, Text: "follow the finding to the value that nobody has set", Section: "Private memory", Lesson: 2},
	{For: Fault, Text: "look at the work-item and the index that the finding names", Section: "More work-items than elements",
		Lesson: 1},
	{For: Unusable, Text: "begin with the file of the exercise again: its kernels and parameters stay as they are",
		Section: "One function, many runs", Lesson: 1},
}

// Hint returns the hint for a verdict, and nil where there is none.
func (e *Exercise) Hint(v Verdict) *Hint {
	for _, list := range [][]Hint{e.Hints, generalHints} {
		for i := range list {
			if list[i].For == v {
				return &list[i]
			}
		}
	}
	return nil
}

// Count is one of the counts that lockstep makes of a launch (lockstep help stats).
type Count string

// The counts.
const (
	Instructions  Count = "instructions"                         // that sub-groups issue
	IdleLanes     Count = "idle lanes in percent"                // of the lanes in these instructions
	CacheLines    Count = "cache lines"                          // that accesses of sub-groups touch
	ExcessLines   Count = "cache lines in percent of the fewest" // that could hold the bytes
	BankConflicts Count = "bank conflicts"                       // passes beyond those needed
	Barriers      Count = "barriers"                             // to which sub-groups come
	Atomics       Count = "lanes in atomic operations"           //
	Meeting       Count = "lanes that meet at one address"       // in atomic operations
	Copies        Count = "asynchronous copies"                  // that are issued
	CopyWaits     Count = "ticks of waits for copies"            // with the schedule paced
	CopyOverlap   Count = "ticks in percent that copies overlap" // with work, of those in flight, with the schedule paced
)

// Limit bounds a count of a run. A count with Least has to reach that, another one may be as large as Most.
type Limit struct {
	Count Count
	Least uint64
	Most  uint64
	Run   int // the number of the run in Exercise.Runs
}

// Find returns what an ID such as "4" or "4.2" stands for: a lesson, and the exercise if it names one.
func Find(id string) (*Lesson, *Exercise, error) {
	for _, l := range lessons {
		if id == fmt.Sprint(l.Number) || id == l.Folder || id == fmt.Sprintf("%02d", l.Number) {
			return l, nil, nil
		}
		for _, e := range l.Exercises {
			if id == e.ID() || id == e.Name {
				return l, e, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("there is no lesson or exercise %q: lessons are 1 to %d, exercises 1.1 to %s", id, len(lessons), lastID())
}

// lastID is the ID of the last exercise.
func lastID() string {
	last := lessons[len(lessons)-1]
	return last.Exercises[len(last.Exercises)-1].ID()
}

var lessons = number(workItems, memorySpaces, workGroups, races, divergence, coalescing, bankConflicts, reductions, atomics, subGroups, asyncCopies, pipes)

// number gives lessons and exercises their numbers.
func number(list ...*Lesson) []*Lesson {
	for i, l := range list {
		l.Number = i + 1
		for j, e := range l.Exercises {
			e.Lesson, e.Number = l, j+1
		}
	}
	return list
}
