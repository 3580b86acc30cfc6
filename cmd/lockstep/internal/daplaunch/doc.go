// Package daplaunch makes targets of package dap, which an editor debugs, of the launches that editors ask
// for: paths, the folder of the editor, diagnostics, checks, and text that goes to the editor line by line.
//
// It gets the attributes of a launch and a cmdline.Env, and opens sessions by package debugcmd. Packages
// dapcmd and hostcmd serve the targets. It has no command and no messages of the protocol.
package daplaunch
