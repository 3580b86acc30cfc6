// Package launch is lockstep run: it reads the flags and arguments of one launch or of several, with pipes and shared
// buffers, prepares a [Run] of them, runs it, and reports findings, outputs, counters, timelines, pictures, a page and
// documents of JSON and SARIF.
//
// Modules come from package loader, the forms of arguments from emu/argspec; package emu runs the kernels. Packages
// explorecmd and debugcmd prepare launches with its [Options] and run them in their own ways. It explores no schedules and
// steps through nothing.
package launch
