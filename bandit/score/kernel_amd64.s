//go:build !purego

#include "textflag.h"

// Four vectors at a time, of which each has its own registers; xs are slices, 24 bytes each.

// mask, read from entry 3-n on, has n entries of ones, for n from 1 to 3.
DATA mask<>+0(SB)/8, $-1
DATA mask<>+8(SB)/8, $-1
DATA mask<>+16(SB)/8, $-1
DATA mask<>+24(SB)/8, $0
DATA mask<>+32(SB)/8, $0
DATA mask<>+40(SB)/8, $0
GLOBL mask<>(SB), RODATA|NOPTR, $48

// NEXT loads the addresses of the next four vectors, which have AX entries at least.
#define NEXT \
	CMPQ AX, 8(DX)   \
	JGT  short       \
	CMPQ AX, 32(DX)  \
	JGT  short       \
	CMPQ AX, 56(DX)  \
	JGT  short       \
	CMPQ AX, 80(DX)  \
	JGT  short       \
	MOVQ 0(DX), R8   \
	MOVQ 24(DX), R9  \
	MOVQ 48(DX), R10 \
	MOVQ 72(DX), R11 \
	ADDQ $96, DX

// STORE writes the sums over lanes of Y0 to Y3.
#define STORE \
	VHADDPD    Y1, Y0, Y4        \
	VHADDPD    Y3, Y2, Y5        \
	VPERM2F128 $0x20, Y5, Y4, Y6 \
	VPERM2F128 $0x31, Y5, Y4, Y7 \
	VADDPD     Y7, Y6, Y6        \
	VMOVUPD    Y6, (DI)          \
	ADDQ       $32, DI

// func products(dst *float64, groups int, xs *Features, theta *float64, d int) (ok bool)
TEXT ·products(SB), NOSPLIT, $0-41
	MOVQ dst+0(FP), DI
	MOVQ groups+8(FP), CX
	MOVQ xs+16(FP), DX
	MOVQ theta+24(FP), SI
	MOVQ d+32(FP), R12
	MOVQ R12, R13
	SHRQ $2, R12          // whole rows of lanes
	ANDQ $3, R13          // entries behind them
	JZ   group
	MOVQ $3, AX
	SUBQ R13, AX
	LEAQ mask<>(SB), BX
	VMOVUPD (BX)(AX*8), Y14
	MOVQ R12, AX
	SHLQ $5, AX
	VMASKMOVPD (SI)(AX*1), Y14, Y15

group:
	MOVQ    d+32(FP), AX
	NEXT
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ   AX, AX
	MOVQ   R12, BX
	TESTQ  BX, BX
	JZ     rest

row:
	VMOVUPD     (SI)(AX*1), Y4
	VFMADD231PD (R8)(AX*1), Y4, Y0
	VFMADD231PD (R9)(AX*1), Y4, Y1
	VFMADD231PD (R10)(AX*1), Y4, Y2
	VFMADD231PD (R11)(AX*1), Y4, Y3
	ADDQ        $32, AX
	DECQ        BX
	JNZ         row

rest:
	TESTQ       R13, R13
	JZ          done
	VMASKMOVPD  (R8)(AX*1), Y14, Y5
	VFMADD231PD Y5, Y15, Y0
	VMASKMOVPD  (R9)(AX*1), Y14, Y6
	VFMADD231PD Y6, Y15, Y1
	VMASKMOVPD  (R10)(AX*1), Y14, Y7
	VFMADD231PD Y7, Y15, Y2
	VMASKMOVPD  (R11)(AX*1), Y14, Y8
	VFMADD231PD Y8, Y15, Y3

done:
	STORE
	DECQ CX
	JNZ  group
	MOVB $1, ok+40(FP)
	VZEROUPPER
	RET

short:
	MOVB $0, ok+40(FP)
	VZEROUPPER
	RET

// func squares(dst *float64, groups int, xs *Features, w *float64, panels, first, d int) (ok bool)
//
// Row r of lanes of vector a of a panel is in Y(3a+r), and the sums of squares are on the stack.
TEXT ·squares(SB), NOSPLIT, $128-57
	MOVQ dst+0(FP), DI
	MOVQ groups+8(FP), CX
	MOVQ xs+16(FP), DX

group:
	MOVQ    d+48(FP), AX
	NEXT
	MOVQ    w+24(FP), SI
	MOVQ    panels+32(FP), BX
	MOVQ    first+40(FP), R12 // columns of the middle row of lanes
	VXORPD  Y0, Y0, Y0
	VMOVUPD Y0, 0(SP)
	VMOVUPD Y0, 32(SP)
	VMOVUPD Y0, 64(SP)
	VMOVUPD Y0, 96(SP)

panel:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
	XORQ AX, AX
	LEAQ -4(R12), R13
	CMPQ AX, R13
	JGE  middle

three:
	VMOVUPD      0(SI), Y12
	VMOVUPD      32(SI), Y13
	VMOVUPD      64(SI), Y14
	VBROADCASTSD (R8)(AX*8), Y15
	VFMADD231PD  Y12, Y15, Y0
	VFMADD231PD  Y13, Y15, Y1
	VFMADD231PD  Y14, Y15, Y2
	VBROADCASTSD (R9)(AX*8), Y15
	VFMADD231PD  Y12, Y15, Y3
	VFMADD231PD  Y13, Y15, Y4
	VFMADD231PD  Y14, Y15, Y5
	VBROADCASTSD (R10)(AX*8), Y15
	VFMADD231PD  Y12, Y15, Y6
	VFMADD231PD  Y13, Y15, Y7
	VFMADD231PD  Y14, Y15, Y8
	VBROADCASTSD (R11)(AX*8), Y15
	VFMADD231PD  Y12, Y15, Y9
	VFMADD231PD  Y13, Y15, Y10
	VFMADD231PD  Y14, Y15, Y11
	ADDQ         $96, SI
	INCQ         AX
	CMPQ         AX, R13
	JLT          three

middle:
	CMPQ AX, R12
	JGE  last

two:
	VMOVUPD      0(SI), Y13
	VMOVUPD      32(SI), Y14
	VBROADCASTSD (R8)(AX*8), Y15
	VFMADD231PD  Y13, Y15, Y1
	VFMADD231PD  Y14, Y15, Y2
	VBROADCASTSD (R9)(AX*8), Y15
	VFMADD231PD  Y13, Y15, Y4
	VFMADD231PD  Y14, Y15, Y5
	VBROADCASTSD (R10)(AX*8), Y15
	VFMADD231PD  Y13, Y15, Y7
	VFMADD231PD  Y14, Y15, Y8
	VBROADCASTSD (R11)(AX*8), Y15
	VFMADD231PD  Y13, Y15, Y10
	VFMADD231PD  Y14, Y15, Y11
	ADDQ         $64, SI
	INCQ         AX
	CMPQ         AX, R12
	JLT          two

last:
	LEAQ    4(R12), R13
	CMPQ    R13, d+48(FP)
	CMOVQGT d+48(FP), R13

one:
	VMOVUPD      0(SI), Y14
	VBROADCASTSD (R8)(AX*8), Y15
	VFMADD231PD  Y14, Y15, Y2
	VBROADCASTSD (R9)(AX*8), Y15
	VFMADD231PD  Y14, Y15, Y5
	VBROADCASTSD (R10)(AX*8), Y15
	VFMADD231PD  Y14, Y15, Y8
	VBROADCASTSD (R11)(AX*8), Y15
	VFMADD231PD  Y14, Y15, Y11
	ADDQ         $32, SI
	INCQ         AX
	CMPQ         AX, R13
	JLT          one

	VMOVUPD     0(SP), Y12
	VMOVUPD     32(SP), Y13
	VMOVUPD     64(SP), Y14
	VMOVUPD     96(SP), Y15
	VFMADD231PD Y0, Y0, Y12
	VFMADD231PD Y3, Y3, Y13
	VFMADD231PD Y6, Y6, Y14
	VFMADD231PD Y9, Y9, Y15
	VFMADD231PD Y1, Y1, Y12
	VFMADD231PD Y4, Y4, Y13
	VFMADD231PD Y7, Y7, Y14
	VFMADD231PD Y10, Y10, Y15
	VFMADD231PD Y2, Y2, Y12
	VFMADD231PD Y5, Y5, Y13
	VFMADD231PD Y8, Y8, Y14
	VFMADD231PD Y11, Y11, Y15
	VMOVUPD     Y12, 0(SP)
	VMOVUPD     Y13, 32(SP)
	VMOVUPD     Y14, 64(SP)
	VMOVUPD     Y15, 96(SP)
	ADDQ        $12, R12
	DECQ        BX
	JNZ         panel

	VMOVUPD 0(SP), Y0
	VMOVUPD 32(SP), Y1
	VMOVUPD 64(SP), Y2
	VMOVUPD 96(SP), Y3
	STORE
	DECQ CX
	JNZ  group
	MOVB $1, ok+56(FP)
	VZEROUPPER
	RET

short:
	MOVB $0, ok+56(FP)
	VZEROUPPER
	RET
