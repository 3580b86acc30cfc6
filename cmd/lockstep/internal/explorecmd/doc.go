// Package explorecmd is lockstep explore: one launch under many schedules or in all its interleavings, and the report of
// its outcomes with the place where two of them part.
//
// Package launch prepares the launch, package emu/explore runs it again and again, and package batch keeps results and
// writes the forms of the report. It compares outcomes only; one run is for package launch.
package explorecmd
