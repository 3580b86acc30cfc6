//go:build race

package scheduler

// raceDetector says that the program is built with Go's race detector.
const raceDetector = true
