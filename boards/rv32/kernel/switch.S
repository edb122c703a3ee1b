/*
 * void switch_stacks(uintptr_t *from, uintptr_t to)
 *
 * Leaves what a call preserves, and the thread's pointer to its own variables, on the stack that is left, whose pointer
 * goes to `from`, and takes them from the one that is entered. A new thread's stack has them in the same order
 * (StackTop in threads.c).
 */
	.section .text.switch_stacks, "ax"
	.globl switch_stacks
	.type switch_stacks, @function
switch_stacks:
	addi sp, sp, -64
	sw ra, 0(sp)
	sw tp, 4(sp)
	sw s0, 8(sp)
	sw s1, 12(sp)
	sw s2, 16(sp)
	sw s3, 20(sp)
	sw s4, 24(sp)
	sw s5, 28(sp)
	sw s6, 32(sp)
	sw s7, 36(sp)
	sw s8, 40(sp)
	sw s9, 44(sp)
	sw s10, 48(sp)
	sw s11, 52(sp)
	sw sp, 0(a0)
	mv sp, a1
	lw ra, 0(sp)
	lw tp, 4(sp)
	lw s0, 8(sp)
	lw s1, 12(sp)
	lw s2, 16(sp)
	lw s3, 20(sp)
	lw s4, 24(sp)
	lw s5, 28(sp)
	lw s6, 32(sp)
	lw s7, 36(sp)
	lw s8, 40(sp)
	lw s9, 44(sp)
	lw s10, 48(sp)
	lw s11, 52(sp)
	addi sp, sp, 64
	ret
	.size switch_stacks, . - switch_stacks
