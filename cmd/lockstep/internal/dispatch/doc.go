// Package dispatch calls the command of a table that a command line asks for, and turns errors into messages and exit
// statuses. It has the commands about the command line itself: help with its topics, completion and version.
//
// It gets the table and the world from its caller: package cli on a command line, package playground on a page. It knows
// no command but its own; completion asks packages loader, launch and picture for the words of flags.
package dispatch
