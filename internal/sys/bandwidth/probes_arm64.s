//go:build gc && !purego && !noasm

#include "textflag.h"

// Each function walks over n >= 8 elements: 64 per iteration, then 8 per iteration, then the last
// 8, which may overlap the previous ones. R0 and R1 point to the operands; R2 is the number of
// elements left.

// WALK loops over the operands. AT8 processes the 8 elements at a byte offset from R0 and R1.
#define WALK(AT8) \
	SUBS $64, R2, R2 \
	BLT  few     \
turn:            \
	AT8(0)       \
	AT8(32)      \
	AT8(64)      \
	AT8(96)      \
	AT8(128)     \
	AT8(160)     \
	AT8(192)     \
	AT8(224)     \
	ADD  $256, R0 \
	ADD  $256, R1 \
	SUBS $64, R2, R2 \
	BGE  turn    \
few:             \
	ADDS $56, R2, R2 \
	BLT  last    \
eight:           \
	AT8(0)       \
	ADD  $32, R0 \
	ADD  $32, R1 \
	SUBS $8, R2, R2 \
	BGE  eight   \
last:            \
	ADD  R2<<2, R0 \
	ADD  R2<<2, R1 \
	AT8(0)       \
	RET

#define READ(o) FLDPQ o(R0), (F0, F1)

// func read(x *float32, n int)
TEXT ·read(SB), NOSPLIT, $0-16
	MOVD x+0(FP), R0
	MOVD n+8(FP), R2
	WALK(READ)

#define READ2(o) FLDPQ o(R0), (F0, F1); FLDPQ o(R1), (F2, F3)

// func read2(x, y *float32, n int)
TEXT ·read2(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD n+16(FP), R2
	WALK(READ2)

#define UPDATE(o) FLDPQ o(R0), (F0, F1); FSTPQ (F0, F1), o(R0)

// func update(x *float32, n int)
TEXT ·update(SB), NOSPLIT, $0-16
	MOVD x+0(FP), R0
	MOVD n+8(FP), R2
	WALK(UPDATE)

#define COPYTO(o) FLDPQ o(R0), (F0, F1); FSTPQ (F0, F1), o(R1)

// func copyTo(x, y *float32, n int)
TEXT ·copyTo(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD n+16(FP), R2
	WALK(COPYTO)

#define AXPY(o) FLDPQ o(R0), (F0, F1); FLDPQ o(R1), (F2, F3); FSTPQ (F2, F3), o(R1)

// func axpy(x, y *float32, n int)
TEXT ·axpy(SB), NOSPLIT, $0-24
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD n+16(FP), R2
	WALK(AXPY)
