package pegasos

func (r *kernelRun) shrink(all [][][]float64, res *KernelResult, measure bool) error { return nil }
