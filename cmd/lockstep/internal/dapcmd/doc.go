// Package dapcmd is lockstep dap: the debugger for editors, over standard input and output or a port.
//
// Launches that an editor asks for are prepared by package daplaunch, and programs that launch kernels by package hostcmd;
// package dap speaks the Debug Adapter Protocol. It has no messages of the protocol and prepares no launch itself.
package dapcmd
