package asm

// ISA is an instruction set, and the code path of the kernels for it.
type ISA uint8

const (
	Generic    ISA = iota
	NEON           // 128-bit registers, arm64
	NEONDot        // NEON, and SDOT and UDOT
	AVX2           // 256-bit registers, amd64
	AVX512x256     // 256-bit registers, amd64 with AVX-512 F, VL, BW and DQ, and BMI2
	AVX512         // 512-bit registers, amd64 with the features of AVX512x256
)

// No name ends in a dash and a number, which go test appends to benchmark names (GOMAXPROCS).
var names = [...]string{Generic: "generic", NEON: "neon", NEONDot: "neondot", AVX2: "avx2",
	AVX512x256: "avx512x256", AVX512: "avx512"}

func (isa ISA) String() string { return names[isa] }
