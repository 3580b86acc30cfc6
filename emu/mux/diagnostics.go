package mux

import (
	"strings"
	"sync"
)

// Notification is a message of the compiler to its user.
type Notification struct {
	Message string
	// Error says that the message counts as an error of the build.
	Error bool
}

// NotifyFunc takes the messages of a target and its modules as they are made
// (compiler::NotifyCallbackFn). It is called with the context locked, and must not call the
// compiler.
type NotifyFunc func(Notification)

// Diagnostics is where a module leaves the number of its errors and its log (the
// references num_errors and log of BaseTarget::createModule). It may be read while the module is
// used. The zero value is empty.
type Diagnostics struct {
	mu     sync.Mutex
	errors int
	log    strings.Builder
}

// NumErrors returns the number of errors that modules reported during compilation.
func (d *Diagnostics) NumErrors() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.errors
}

// Log returns the messages, each one ending in a line feed.
func (d *Diagnostics) Log() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

// Reset empties the log and the count.
func (d *Diagnostics) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.errors = 0
	d.log.Reset()
}

func (d *Diagnostics) add(message string, errors int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.errors += errors
	d.log.WriteString(message)
	if !strings.HasSuffix(message, "\n") {
		d.log.WriteByte('\n')
	}
}
