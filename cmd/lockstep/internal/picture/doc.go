// Package picture draws what a launch did: figures of timelines, lanes, accesses, banks and work-items, as SVG, each alone
// for -picture or for a page of -report.
//
// It takes what an emu/trace.Recorder counted, and results of package emu, and returns shapes or text. It asks nothing of
// the launch itself, writes no file and makes no page, which package launch does. The same counts give the same bytes.
package picture
