// Package argspec reads the text in which a person states kernel arguments and
// launch sizes (the values of -arg, -global and -out on the command line, and of
// the keys of a conformance case) and writes buffers back as text, JSON or files.
//
// One SPEC describes one kernel parameter: a value, a buffer, an image or a pipe
// with its first contents, local memory, or a null pointer. Buffers and pipes that
// several kernels share have names ([ParseBuffer], [ParsePipe]). [Help] returns the whole syntax.
// [Parse] turns a SPEC into an [Arg], whose bytes are little-endian and ready to be
// copied to a device; [Format], [AppendList] and [AppendJSON] go the other way, and what
// they print reads back as the same bits.
//
// The package knows nothing of devices or modules: whether an argument fits the
// parameter that it is for is its caller's business ([Arg.Fit] helps). It opens
// files only through [Options.Open].
package argspec
