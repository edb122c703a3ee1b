/*
 * Where the program begins, with the stack that the emulator gives it, and its calls of the system (Linux on Xtensa: number
 * in a2; parameters in a6, a3, a4).
 */
	.text
	.literal_position
	.align	4
	.global	_start
_start:
	movi	a0, 0
	movi	a2, ~15
	and	a1, a1, a2
	call8	program_main

	.align	4
	.global	system_call
system_call:
	entry	a1, 32
	mov	a6, a3
	mov	a3, a4
	mov	a4, a5
	syscall
	retw
