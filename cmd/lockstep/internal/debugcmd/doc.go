// Package debugcmd is lockstep debug: it prepares a launch for a debug session of package emu/debug and reads
// commands from files, from a terminal or from standard input.
//
// Package launch prepares the launch; package debugger has the commands of the debugger. Packages daplaunch
// and hostcmd open sessions with its [Options] for editors and for launches of OpenCL programs. It is not the
// debugger.
package debugcmd
