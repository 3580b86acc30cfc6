package emu

// Compiled says whether there is code of the device's engine for the kernel.
func Compiled(k *Kernel) bool { return k.runner != nil && (k.later == nil || k.later.Made()) }

// Shared says whether the code of two kernels is made once for both.
func Shared(a, b *Kernel) bool { return a.made == b.made }
