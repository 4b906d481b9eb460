package quant

func init() { minElements = 64 * minColumns }
