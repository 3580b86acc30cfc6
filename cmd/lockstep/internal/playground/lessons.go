package playground

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// Lessons returns the lessons of the course.
func Lessons() ([]Lesson, error) {
	var list []Lesson
	for _, l := range course.Lessons() {
		one, err := lesson(l)
		if err != nil {
			return nil, err
		}
		list = append(list, *one)
	}
	return list, nil
}

// lesson returns a lesson.
func lesson(l *course.Lesson) (*Lesson, error) {
	text, err := l.Text()
	if err != nil {
		return nil, err
	}
	one := &Lesson{Number: l.Number, ID: strconv.Itoa(l.Number), Folder: l.Folder, Title: l.Title, Markdown: text,
		Pictures: map[string]string{}, Sources: map[string]string{}, Examples: examples(l.Number, text), Exercises: []Exercise{}}
	entries, err := fs.ReadDir(course.Files(), l.Folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		to := map[string]map[string]string{".svg": one.Pictures, ".cl": one.Sources}[path.Ext(e.Name())]
		if to == nil {
			continue
		}
		data, err := fs.ReadFile(course.Files(), path.Join(l.Folder, e.Name()))
		if err != nil {
			return nil, err
		}
		to[e.Name()] = string(data)
	}
	for _, e := range l.Exercises {
		start, err := e.Start()
		if err != nil {
			return nil, err
		}
		task, err := e.Task()
		if err != nil {
			return nil, err
		}
		x := Exercise{ID: e.ID(), Name: e.Name, Path: path.Join(courseFolder, e.Path()), Task: task, Start: start, Kernels: e.Kernels, Launches: []ExerciseLaunch{}}
		for _, r := range e.Runs {
			x.Launches = append(x.Launches, ExerciseLaunch{r.Flags, r.Note})
		}
		one.Exercises = append(one.Exercises, x)
	}
	return one, nil
}

// examples returns the command lines of a text in Markdown, with what their blocks print.
func examples(lesson int, text string) []Example {
	list := []Example{}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != "```sh" {
			continue
		}
		block := i + 1
		before := len(list)
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
			if strings.TrimSpace(lines[i]) == "" {
				continue
			}
			n := len(list) + 1
			list = append(list, example(strconv.Itoa(lesson)+"-"+strconv.Itoa(n), lines[i], i+1, block))
		}
		next := i + 1
		for next < len(lines) && strings.TrimSpace(lines[next]) == "" {
			next++
		}
		if next < len(lines) && strings.TrimSpace(lines[next]) == "```text" && len(list) > before {
			var b strings.Builder
			for i = next + 1; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				b.WriteString(lines[i] + "\n")
			}
			list[len(list)-1].Output = b.String()
		}
	}
	return list
}

// example returns a command line.
func example(id, line string, at, block int) Example {
	e := Example{ID: id, Line: line, MarkdownLine: at, BlockLine: block}
	list, _, err := words.Split(line)
	if err != nil || len(list) == 0 || list[0].Text != "lockstep" {
		return e
	}
	for _, w := range list[1:] {
		e.Args = append(e.Args, w.Text)
		if e.Source == "" && path.Ext(w.Text) == ".cl" && !strings.HasPrefix(w.Text, "-") {
			e.Source = w.Text
		}
	}
	return e
}
