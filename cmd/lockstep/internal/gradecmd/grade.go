package gradecmd

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/docs/course/grade"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Command is lockstep grade.
var Command = &cmdline.Command{
	Name:  "grade",
	Args:  "[LESSON|EXERCISE [KERNEL.cl]]",
	Short: "judge a kernel by an exercise of the course",
	Text:  true,
	Long: `Judges a kernel by an exercise of the course (docs/course): 4.2 is the second of lesson 4.
With a lesson, judges it by those exercises whose kernels the file has. The verdict is

  right         every element of every run is right, and all counters are within their limits
  wrong         an element is not what it should be: the first, and the inputs beside it
  racy          work-items race
  undefined     a check found something else that the language leaves undefined
  fault         a fault ended work-items, or all of them wait
  slow          right, but a counter is beyond its limit: instructions, idle lanes, cache lines,
                bank conflicts, barriers, atomic operations, copies. No clock is read
  does not run  the source does not compile, or has not the kernels and parameters that are asked for

The kernel runs with all checks, for several sizes, with sub-groups of two sizes or more and in several
orders, so that one that is right by luck fails. What goes wrong first is told, with the command that
shows it and the section of the lesson that is about it; the solution is not. The exit status is 0 if
all is right, 1 if something is not, and 2 for wrong usage, or a file that cannot be read.

  lockstep grade                     the lessons and their exercises
  lockstep grade 4.2                 the task
  lockstep grade -start 4.2 > my.cl  the file to begin with
  lockstep grade 4.2 my.cl           the verdict
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		asJSON := f.Bool("json", false, "print one JSON document")
		start := f.Bool("start", false, "print the file that the exercise begins with")
		color := f.String("color", "auto", "colours in findings `WHEN`: auto (on a terminal, unless NO_COLOR is set), always or never")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			style := finding.Style{Color: *color == "always" || *color == "auto" && env.StdoutTerminal && !env.NoColor}
			if *color != "auto" && *color != "always" && *color != "never" {
				return cmdline.Usagef("help grade", "grade: -color %s: auto, always or never", *color)
			}
			if len(args) > 2 {
				return cmdline.Usagef("help grade", "grade: one kernel at a time; %q is one argument too many", args[2])
			}
			if len(args) == 0 {
				if *start {
					return cmdline.Usagef("help grade", "grade: -start needs an exercise, as in lockstep grade -start 1.1")
				}
				return listCourse(env, *asJSON)
			}
			l, e, err := course.Find(args[0])
			if err != nil {
				return cmdline.Usagef("grade", "grade: %v", err)
			}
			if len(args) == 2 {
				if *start {
					return cmdline.Usagef("help grade", "grade: -start prints a file and judges none; leave %s out", args[1])
				}
				return gradeFile(ctx, env, l, e, args[1], style, *asJSON)
			}
			if *asJSON {
				return cmdline.Usagef("help grade", "grade: -json needs a kernel, or neither lesson nor kernel")
			}
			return showExercise(env, l, e, *start)
		}
	},
}

// CourseList is the JSON document of `lockstep grade` without a kernel. Field names are stable.
type CourseList struct {
	Lessons []lessonEntry `json:"lessons"`
}

type lessonEntry struct {
	Number    int             `json:"number"`
	Folder    string          `json:"folder"` // in docs/course
	Title     string          `json:"title"`
	Exercises []exerciseEntry `json:"exercises"`
}

type exerciseEntry struct {
	Exercise string   `json:"exercise"` // "4.2"
	Name     string   `json:"name"`
	Start    string   `json:"start"` // the file in docs/course
	Kernels  []string `json:"kernels"`
	Task     string   `json:"task"`
}

// Report is the JSON document of `lockstep grade` with a kernel. Field names are stable.
type Report struct {
	Source    string          `json:"source"`
	Right     bool            `json:"right"`
	Exercises []*grade.Result `json:"exercises"`
}

// listCourse prints the lessons and exercises.
func listCourse(env *cmdline.Env, asJSON bool) error {
	doc := CourseList{}
	var b strings.Builder
	for _, l := range course.Lessons() {
		one := lessonEntry{Number: l.Number, Folder: l.Folder, Title: l.Title}
		fmt.Fprintf(&b, "%2d  %s\n", l.Number, l.Title)
		for _, e := range l.Exercises {
			task, err := e.Task()
			if err != nil {
				return err
			}
			one.Exercises = append(one.Exercises, exerciseEntry{e.ID(), e.Name, e.Path(), e.Kernels, task})
			first, _, _ := strings.Cut(task, "\n")
			_, title, _ := strings.Cut(first, ": ")
			fmt.Fprintf(&b, "    %-5s %-16s %s\n", e.ID(), e.Name, title)
		}
		doc.Lessons = append(doc.Lessons, one)
	}
	if asJSON {
		return env.WriteDocument("grade-list", &doc)
	}
	b.WriteString("\nlockstep grade 1.1 prints a task, -start 1.1 its file, and grade 1.1 FILE the verdict. The texts are in docs/course.\n")
	_, err := io.WriteString(env.Stdout, b.String())
	return err
}

// showExercise prints the task of an exercise, or of all of a lesson, or the file that it begins with.
func showExercise(env *cmdline.Env, l *course.Lesson, e *course.Exercise, start bool) error {
	if start {
		if e == nil {
			return cmdline.Usagef("help grade", "grade: -start needs an exercise: lesson %d has %s", l.Number, exerciseIDs(l))
		}
		text, err := e.Start()
		if err != nil {
			return err
		}
		_, err = io.WriteString(env.Stdout, text)
		return err
	}
	list := l.Exercises
	if e != nil {
		list = []*course.Exercise{e}
	}
	for i, e := range list {
		task, err := e.Task()
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		if _, err := fmt.Fprintf(env.Stdout, "%s\nThe lesson: docs/course/%s. The file to begin with: lockstep grade -start %s\n", task, l.Folder, e.ID()); err != nil {
			return err
		}
	}
	return nil
}

// exerciseIDs is "4.1, 4.2 and 4.3".
func exerciseIDs(l *course.Lesson) string {
	var ids []string
	for _, e := range l.Exercises {
		ids = append(ids, e.ID())
	}
	return cmdline.Enumerated(ids)
}

// gradeFile judges a file by an exercise, or by those of a lesson whose kernels it has.
func gradeFile(ctx context.Context, env *cmdline.Env, l *course.Lesson, e *course.Exercise, path string, style finding.Style, asJSON bool) error {
	text, err := cmdline.ReadFile(env, path)
	if err != nil {
		return err
	}
	src := grade.Source{Name: path, Text: string(text)}
	list := []*course.Exercise{e}
	if e == nil {
		list = nil
		var kernels []string
		for _, one := range l.Exercises {
			if len(grade.Has(one, src)) == 0 {
				list = append(list, one)
			}
			kernels = append(kernels, strings.Join(one.Kernels, " and "))
		}
		if list == nil {
			return cmdline.Usagef("grade", "grade: %s has none of the kernels of lesson %d: %s", path, l.Number, strings.Join(kernels, ", "))
		}
	}
	doc := Report{Source: path, Right: true}
	for _, one := range list {
		res, err := grade.Exercise(ctx, one, src)
		if err != nil {
			return err
		}
		doc.Right = doc.Right && res.Verdict == course.Right
		doc.Exercises = append(doc.Exercises, res)
		if asJSON {
			continue
		}
		if _, err := io.WriteString(env.Stdout, res.Text(style)); err != nil {
			return err
		}
	}
	if asJSON {
		if err := env.WriteDocument("grade", &doc); err != nil {
			return err
		}
	}
	if !doc.Right {
		return cmdline.ErrFound
	}
	return nil
}
