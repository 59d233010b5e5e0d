package protocol_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// arithmetic is the one file of assembly: sums of products for linear learners.
const arithmetic = "bandit/score/kernel_amd64.s"

// plainLine matches a line that computes in registers and reads where its registers point, or
// writes to the frame, to the result or where DI points, which is the slice to write to. It
// calls nothing, and names no symbol but its own mask.
func plainLine() *regexp.Regexp {
	const (
		register = `(?:[A-D]X|SI|R\d+|Y\d+)`
		memory   = `(?:[\w-]+\+\d+\(FP\)|-?\d*\((?:[A-D]X|SI|DI|SP|R\d+)\)(?:\([A-D]X\*\d\))?)`
		operand  = `(?:` + register + `|` + memory + `|\$-?\w+|mask<>\(SB\))`
		written  = `(?:DI|` + register + `|\d*\((?:DI|SP)\)|ok\+\d+\(FP\))`
		names    = `(?:MOV[BQ]|SUBQ|ANDQ|SHRQ|SHLQ|ADDQ|INCQ|DECQ|XORQ|LEAQ|CMOVQGT|VMOVUPD|VMASKMOVPD|VXORPD|VFMADD231PD|VBROADCASTSD|VHADDPD|VPERM2F128|VADDPD)`
	)
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`#include "textflag\.h"`, `#define (?:NEXT|STORE)`,
		`DATA mask<>\+\d+\(SB\)/8, \$-?\d`, `GLOBL mask<>\(SB\), RODATA\|NOPTR, \$\d+`,
		`TEXT ·(?:products|squares)\(SB\), NOSPLIT, \$\d+-\d+`,
		`[a-z]+:`, `NEXT|STORE|RET|VZEROUPPER`, `J[A-Z]+ +[a-z]+`,
		`(?:CMPQ|TESTQ) +` + operand + `, ` + operand,
		names + ` +(?:` + operand + `, ){0,3}` + written,
	}, `|`) + `)?$`)
}

// beyondArithmetic returns the lines of assembly that are not plain.
func beyondArithmetic(content []byte) (lines []string) {
	plain := plainLine()
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), `\`))
		if !plain.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestMoreThanArithmeticIsFound: the search above finds each.
func TestMoreThanArithmeticIsFound(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", arithmetic))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "VFMADD231PD") {
		t.Error("there is no arithmetic")
	}
	for _, line := range []string{
		"CALL ·other(SB)", "JMP ·other(SB)", "SYSCALL", "CALL AX", "JMP AX", "MOVQ AX, (SI)", "MOVQ AX, 8(DX)", "MOVQ ·x(SB), AX",
		"MOVQ AX, ·x(SB)", "LEAQ ·x(SB), AX", "TEXT ·other(SB), NOSPLIT, $0-0", "DATA ·x+0(SB)/8, $1", "BYTE $0x0f; BYTE $0x05",
		"VMOVUPD Y0, (R8)", "VMOVUPD Y0, dst+0(FP)", "MOVQ AX, SP", "REP; MOVSQ", "INT $3", `#include "other.s"`, "XCHGQ AX, (SI)", "INCQ (SI)",
	} {
		if len(beyondArithmetic([]byte(line))) == 0 {
			t.Errorf("%q is not found", line)
		}
	}
}
