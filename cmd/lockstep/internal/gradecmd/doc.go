// Package gradecmd is lockstep grade: it lists the course, writes the start of an exercise, and has kernels judged.
//
// Lessons come from docs/course, and verdicts from docs/course/grade. It knows no exercise.
package gradecmd
