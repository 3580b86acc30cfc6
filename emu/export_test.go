package emu

// Compiled says whether there is code of the device's engine for the kernel.
func Compiled(k *Kernel) bool { return k.runner != nil && (k.later == nil || k.later.Made()) }
