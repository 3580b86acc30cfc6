// Package pp is the lexer and the preprocessor of OpenCL C: it turns texts into the tokens that the parser reads.
//
// It does all of section 6.10 of C99, the extensions of GNU C that clang accepts in OpenCL C, and what section 6.12
// of the OpenCL C specification adds: predefined macros and pragmas. It is not a parser: integer and floating
// constants and the escapes of strings are text here, and package sema gives them values.
//
// Texts come from [Config]: the source, the macros of the command line, and headers by way of a function, so that the
// package itself never touches a file system. Tokens go out one at a time, by [Preprocessor.Next]; what is wrong goes
// into a [diag.Bag].
//
// # How macros are expanded
//
// Tokens come from the file at hand or, before that, from a stack of frames. A frame is the body of a macro with its
// arguments put in. While a frame is on the stack its macro is active, and names of active macros are marked so that
// they are never expanded again (C99 6.10.3.4). An argument is expanded by pushing it as a frame of its own with a
// barrier below it, and reading until the barrier.
package pp
