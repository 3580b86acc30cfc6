// Package cmdline has what the commands of lockstep are made of: a command ([Command]) and a table of them, flags with
// files of arguments and command lines of several parts ([Flags]), the world that a command runs in ([Env]), errors of
// usage and exit statuses, and how text, JSON and SARIF are written.
//
// Commands read what they need of the process through an Env and write there, so that tests and the page of a browser
// run them without one. It has no command, reads no module and knows nothing of launches; that is what [Inspector]
// carries from launches to the page. Package dispatch calls commands.
package cmdline
