package grade

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

var update = flag.Bool("update", false, "rewrite the golden texts in testdata")

// starts are the verdicts on the files that exercises begin with.
var starts = map[string]course.Verdict{
	"1.1": course.Wrong, "1.2": course.Fault, "1.3": course.Wrong,
	"2.1": course.Undefined, "2.2": course.Slow, "2.3": course.Fault,
	"3.1": course.Racy, "3.2": course.Fault, "3.3": course.Racy,
	"4.1": course.Racy, "4.2": course.Racy, "4.3": course.Racy,
	"5.1": course.Slow, "5.2": course.Slow, "5.3": course.Slow,
	"6.1": course.Slow, "6.2": course.Slow, "6.3": course.Slow,
	"7.1": course.Slow, "7.2": course.Slow, "7.3": course.Slow,
	"8.1": course.Wrong, "8.2": course.Racy, "8.3": course.Slow,
	"9.1": course.Racy, "9.2": course.Slow, "9.3": course.Racy,
	"10.1": course.Wrong, "10.2": course.Wrong, "10.3": course.Slow,
	"11.1": course.Racy, "11.2": course.Slow, "11.3": course.Racy,
	"12.1": course.Fault, "12.2": course.Fault, "12.3": course.Undefined,
}

// judgeText grades a source and returns the verdict and the text.
func judgeText(t *testing.T, e *course.Exercise, text string) (course.Verdict, string) {
	t.Helper()
	res, err := Exercise(context.Background(), e, Source{Name: "my.cl", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return res.Verdict, res.Text(finding.Style{})
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("%s differs (-update rewrites)\n--- want\n%s\n--- got\n%s", file, want, got)
	}
}

// attempts returns the files of testdata for an exercise: "4.1-solution.cl", and "4.1-racy-NAME.cl" for an
// attempt with the verdict racy.
func attempts(t *testing.T, e *course.Exercise) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", e.ID()+"-*.cl"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestExercises holds that each exercise's solution is right, that its start is not, and that typical wrong
// attempts get the verdict in their names, with the words in testdata.
func TestExercises(t *testing.T) {
	for _, l := range course.Lessons() {
		if len(l.Exercises) != 3 {
			t.Errorf("lesson %d has %d exercises", l.Number, len(l.Exercises))
		}
		for _, e := range l.Exercises {
			t.Run(e.ID(), func(t *testing.T) {
				start, err := e.Start()
				if err != nil {
					t.Fatal(err)
				}
				v, text := judgeText(t, e, start)
				if v != starts[e.ID()] || v == "" {
					t.Errorf("the start is %s, want %s:\n%s", v, starts[e.ID()], text)
				}
				golden(t, e.ID()+"-start", text)
				solutions, wrong := 0, 0
				for _, file := range attempts(t, e) {
					name := strings.TrimSuffix(filepath.Base(file), ".cl")
					source, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					v, text := judgeText(t, e, string(source))
					word := strings.Split(name, "-")[1]
					if word == "solution" {
						solutions++
						if v != course.Right {
							t.Errorf("%s is %s:\n%s", name, v, text)
						}
						continue
					}
					wrong++
					if string(v) != word {
						t.Errorf("%s is %s:\n%s", name, v, text)
					}
					golden(t, name, text)
				}
				if solutions == 0 || wrong == 0 {
					t.Errorf("%d solutions and %d wrong attempts", solutions, wrong)
				}
			})
		}
	}
}

// TestHints holds that hints name headings of the lessons, and that starts with a verdict have one.
func TestHints(t *testing.T) {
	for _, l := range course.Lessons() {
		for _, e := range l.Exercises {
			if e.Hint(starts[e.ID()]) == nil {
				t.Errorf("%s: the start is %s, for which there is no hint", e.ID(), starts[e.ID()])
			}
			hints := slices.Clone(e.Hints)
			for _, v := range []course.Verdict{course.Racy, course.Undefined, course.Fault, course.Unusable} {
				if h := e.Hint(v); h == nil {
					t.Errorf("%s: there is no hint for %s", e.ID(), v)
				} else {
					hints = append(hints, *h)
				}
			}
			for _, h := range hints {
				in := l
				if h.Lesson > 0 {
					in = course.Lessons()[h.Lesson-1]
				}
				text, err := in.Text()
				if err != nil {
					t.Fatal(err)
				}
				if !regexp.MustCompile(`(?m)^##+ ` + regexp.QuoteMeta(h.Section) + `$`).MatchString(text) {
					t.Errorf("%s: lesson %d has no section %q", e.ID(), in.Number, h.Section)
				}
			}
		}
	}
}

// TestLessons holds that each lesson has a text that names its exercises with their start files and the
// command that judges them, kernels and a picture, and that tasks say their number.
func TestLessons(t *testing.T) {
	names := map[string]bool{}
	for _, l := range course.Lessons() {
		text, err := l.Text()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text, fmt.Sprintf("# Lesson %d: %s\n", l.Number, l.Title)) {
			t.Errorf("lesson %d: the text does not begin with its number and title", l.Number)
		}
		if !strings.HasPrefix(l.Folder, fmt.Sprintf("%02d-", l.Number)) {
			t.Errorf("lesson %d is in %s", l.Number, l.Folder)
		}
		pictures, err := fs.Glob(course.Files(), l.Folder+"/*.svg")
		if err != nil || len(pictures) == 0 {
			t.Errorf("lesson %d has no picture: %v", l.Number, err)
		}
		for _, p := range pictures {
			name := filepath.Base(p)
			if !strings.Contains(text, "]("+name+")") || !strings.Contains(text, "out/"+name) {
				t.Errorf("lesson %d does not show %s, or the command that makes it", l.Number, name)
			}
		}
		for _, e := range l.Exercises {
			if names[e.Name] {
				t.Errorf("two exercises have the name %s", e.Name)
			}
			names[e.Name] = true
			task, err := e.Task()
			if err != nil || !strings.HasPrefix(task, "Exercise "+e.ID()+": ") {
				t.Errorf("%s: the task is %q, %v", e.ID(), task, err)
			}
			if !strings.Contains(text, "("+e.Name+".cl)") || !strings.Contains(text, "lockstep grade "+e.ID()) {
				t.Errorf("%s: the lesson does not name the file and the command", e.ID())
			}
		}
	}
}

// TestUnusable holds what is said about sources that cannot be judged.
func TestUnusable(t *testing.T) {
	_, e, err := course.Find("1.1")
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{
		"empty":     "",
		"syntax":    "kernel void scale(global const int *x, global int *y)\n{\n\ty[0] = ;\n}\n",
		"name":      "kernel void scaled(global const int *x, global int *y)\n{\n\ty[0] = 1;\n}\n",
		"parameter": "kernel void scale(global const int *x)\n{\n}\n",
		"local":     "kernel void scale(global const int *x, local int *y)\n{\n\ty[0] = 1;\n}\n",
	} {
		v, text := judgeText(t, e, source)
		if v != course.Unusable {
			t.Errorf("%s: %s", name, v)
		}
		golden(t, "unusable-"+name, text)
	}
}

// TestEndless holds that a kernel that never ends gets a verdict.
func TestEndless(t *testing.T) {
	_, e, err := course.Find("1.1")
	if err != nil {
		t.Fatal(err)
	}
	v, text := judgeText(t, e, "kernel void scale(global const int *x, global int *y)\n{\n\tfor (;;)\n\t\ty[0] = 1;\n}\n")
	if v == course.Right || !strings.Contains(text, "E-ENDLESS") {
		t.Errorf("%s:\n%s", v, text)
	}
}

// TestCancelled holds that a grading ends when its context does.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, e, err := course.Find("1.1")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := Exercise(ctx, e, Source{Name: "my.cl", Text: "kernel void scale(global const int *x, global int *y)\n{\n}\n"}); err == nil {
		t.Errorf("a result: %+v", res)
	}
}

// TestFind holds which names lessons and exercises have.
func TestFind(t *testing.T) {
	for id, want := range map[string]string{"1": "1", "01-work-items": "1", "04": "4", "4.2": "4.2", "smooth": "4.2", "0": "", "4.4": "", "": "", "4.": ""} {
		l, e, err := course.Find(id)
		got := ""
		if err == nil {
			got = fmt.Sprint(l.Number)
			if e != nil {
				got = e.ID()
			}
		}
		if got != want {
			t.Errorf("Find(%q) = %q, %v, want %q", id, got, err, want)
		}
	}
}

// TestHas holds that a kernel is looked for as a word.
func TestHas(t *testing.T) {
	_, e, err := course.Find("1.1")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"kernel void scale(": 0, "scale": 0, "rescale": 1, "scale2": 1, "rescale scale": 0, "": 1} {
		if got := len(Has(e, Source{Text: text})); got != want {
			t.Errorf("%q lacks %d kernels, want %d", text, got, want)
		}
	}
}
