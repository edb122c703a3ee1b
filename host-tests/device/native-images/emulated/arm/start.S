/*
 * Where the program begins, with the stack that the emulator gives it, and its calls of the system (Linux on Arm: number in
 * r7; parameters in r0 to r2).
 */
	.syntax	unified
	.thumb
	.text

	.global	_start
	.type	_start, %function
_start:
	bl	program_main

	.global	system_call
	.type	system_call, %function
system_call:
	push	{r7, lr}
	mov	r7, r0
	mov	r0, r1
	mov	r1, r2
	mov	r2, r3
	svc	0
	pop	{r7, pc}
