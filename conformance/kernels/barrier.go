package kernels

func barrierKernels() []*Kernel { return nil }
