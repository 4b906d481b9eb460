//go:build gc && !purego && !noasm

#include "textflag.h"

// Each function walks over n >= 8 elements: 64 per iteration, then 8 per iteration, then the last
// 8, which may overlap the previous ones. AX and BX point to the operands; CX counts the elements
// left.

// WALK loops over the operands. AT8 processes the 8 elements at a byte offset from AX and BX, LAST
// the 8 elements that start CX elements after AX and BX (CX is negative).
#define WALK(AT8, LAST) \
	SUBQ $64, CX \
	JLT  few     \
turn:            \
	AT8(0)       \
	AT8(32)      \
	AT8(64)      \
	AT8(96)      \
	AT8(128)     \
	AT8(160)     \
	AT8(192)     \
	AT8(224)     \
	ADDQ $256, AX \
	ADDQ $256, BX \
	SUBQ $64, CX \
	JGE  turn    \
few:             \
	ADDQ $56, CX \
	JLT  last    \
eight:           \
	AT8(0)       \
	ADDQ $32, AX \
	ADDQ $32, BX \
	SUBQ $8, CX  \
	JGE  eight   \
last:            \
	LAST         \
	VZEROUPPER   \
	RET

// WALK512 is WALK with 128 elements per iteration, in 512-bit registers.
#define WALK512(AT16, AT8, LAST) \
	SUBQ $128, CX \
	JLT  few     \
	PCALIGN $32  \
turn:            \
	AT16(0)      \
	AT16(64)     \
	AT16(128)    \
	AT16(192)    \
	AT16(256)    \
	AT16(320)    \
	AT16(384)    \
	AT16(448)    \
	ADDQ $512, AX \
	ADDQ $512, BX \
	SUBQ $128, CX \
	JGE  turn    \
few:             \
	ADDQ $120, CX \
	JLT  last    \
eight:           \
	AT8(0)       \
	ADDQ $32, AX \
	ADDQ $32, BX \
	SUBQ $8, CX  \
	JGE  eight   \
last:            \
	LAST         \
	VZEROUPPER   \
	RET

#define READ(o) VMOVUPS o(AX), Y0
#define READLAST VMOVUPS (AX)(CX*4), Y0

// func read256(x *float32, n int)
TEXT ·read256(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), AX
	MOVQ n+8(FP), CX
	WALK(READ, READLAST)

#define READ512(o) VMOVUPS o(AX), Z0

// func read512(x *float32, n int)
TEXT ·read512(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), AX
	MOVQ n+8(FP), CX
	WALK512(READ512, READ, READLAST)

#define READ2(o) VMOVUPS o(AX), Y0; VMOVUPS o(BX), Y1
#define READ2LAST VMOVUPS (AX)(CX*4), Y0; VMOVUPS (BX)(CX*4), Y1

// func read2of256(x, y *float32, n int)
TEXT ·read2of256(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), AX
	MOVQ y+8(FP), BX
	MOVQ n+16(FP), CX
	WALK(READ2, READ2LAST)

#define READ2OF512(o) VMOVUPS o(AX), Z0; VMOVUPS o(BX), Z1

// func read2of512(x, y *float32, n int)
TEXT ·read2of512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), AX
	MOVQ y+8(FP), BX
	MOVQ n+16(FP), CX
	WALK512(READ2OF512, READ2, READ2LAST)

#define UPDATE(o) VMOVUPS o(AX), Y0; VMOVUPS Y0, o(AX)
#define UPDATELAST VMOVUPS (AX)(CX*4), Y0; VMOVUPS Y0, (AX)(CX*4)

// func update(x *float32, n int)
TEXT ·update(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), AX
	MOVQ n+8(FP), CX
	WALK(UPDATE, UPDATELAST)

#define COPYTO(o) VMOVUPS o(AX), Y0; VMOVUPS Y0, o(BX)
#define COPYTOLAST VMOVUPS (AX)(CX*4), Y0; VMOVUPS Y0, (BX)(CX*4)

// func copyTo(x, y *float32, n int)
TEXT ·copyTo(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), AX
	MOVQ y+8(FP), BX
	MOVQ n+16(FP), CX
	WALK(COPYTO, COPYTOLAST)

#define AXPY(o) VMOVUPS o(AX), Y0; VMOVUPS o(BX), Y1; VMOVUPS Y1, o(BX)
#define AXPYLAST VMOVUPS (AX)(CX*4), Y0; VMOVUPS (BX)(CX*4), Y1; VMOVUPS Y1, (BX)(CX*4)

// func axpy(x, y *float32, n int)
TEXT ·axpy(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), AX
	MOVQ y+8(FP), BX
	MOVQ n+16(FP), CX
	WALK(AXPY, AXPYLAST)
