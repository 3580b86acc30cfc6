// Package sitecmd has the commands serve and site: the playground at an address of this machine, and as files.
//
// The page and its program come from package site. Nothing of what the page does is here.
package sitecmd
