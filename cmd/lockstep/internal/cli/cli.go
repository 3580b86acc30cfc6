// Package cli is lockstep on a command line: the table of all commands, the process as the world that they run in
// ([System]), and the JSON Schema of all their documents.
//
// Each command has a package of its own or shares one: run is in launch, info in infocmd, debug in debugcmd, dap in
// dapcmd, explore in explorecmd, conformance in conformancecmd, merge in mergecmd, grade in gradecmd; exec and driver
// are in hostcmd, serve and site in sitecmd, asm, dis, cc, compile, link, isa and validate in toolchain, and help,
// completion and version in dispatch. Those packages read files and flags, call the packages that do the work, and
// print what these say. The sessions of all commands are tested here.
package cli
