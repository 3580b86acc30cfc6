// Package toolchain has the commands that make modules of sources and modules, and those that show or check the code of
// one: asm, dis, cc, compile, link, isa and validate.
//
// Modules come from package loader; what is made goes to files through a cmdline.Env. The work is done by packages spirv
// and isa and those below them. It runs no kernel.
package toolchain
