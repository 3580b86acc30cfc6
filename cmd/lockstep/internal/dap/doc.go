// Package dap is the Debug Adapter Protocol over a session of emu/debug: what VS Code, Neovim, Emacs and
// other editors speak with a debugger. Serve answers the requests of one client, from the first byte to the
// last.
//
// Waves of the work-group that runs are the protocol's threads. A thread shows one work-item of its wave; the
// request lockstep/selectItem, or the command item in the client's console, chooses another one. Variables
// have a scope of their own in which they are shown for all work-items.
//
// The launch runs in a goroutine of its own; requests are answered one after the other. A request that comes
// while the launch runs interrupts it between two instructions and lets it go on behind, where nobody can see
// that it was interrupted.
//
// A host program is debugged launch by launch: it waits in each, while a session of the launch's record is
// what the client sees. Breakpoints are set anew in each of them.
//
// goto and gotoTargets are not there. Lanes of a wave share its instruction, under a mask; a lane that is
// moved to another line would leave its wave, miss the barriers between, and be where no GPU can be.
//
// The package knows no command line: Prepare, which the caller brings, makes a session of the attributes of a
// launch. Bytes come from a client and go to it; whatever they are, the server answers or ends.
package dap
