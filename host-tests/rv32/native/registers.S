/*
 * unsigned int count_changed_registers(void (*wait)(void), uint32_t seed)
 *
 * Puts seed + 0 to seed + 11 into the twelve registers that a call preserves, and counts those that have another value
 * after `wait`.
 */
	.macro every action
	\action s0, 0
	\action s1, 1
	\action s2, 2
	\action s3, 3
	\action s4, 4
	\action s5, 5
	\action s6, 6
	\action s7, 7
	\action s8, 8
	\action s9, 9
	\action s10, 10
	\action s11, 11
	.endm

	.macro save register, number
	sw \register, 4*\number(sp)
	.endm

	.macro restore register, number
	lw \register, 4*\number(sp)
	.endm

	.macro fill register, number
	addi \register, a1, \number
	.endm

	.macro compare register, number
	addi t1, t0, \number
	sub t1, t1, \register
	snez t1, t1
	add a0, a0, t1
	.endm

	.text
	.globl count_changed_registers
	.type count_changed_registers, @function
count_changed_registers:
	addi sp, sp, -64
	every save
	sw ra, 48(sp)
	sw a1, 52(sp)
	every fill
	jalr a0
	lw t0, 52(sp)
	li a0, 0
	every compare
	every restore
	lw ra, 48(sp)
	addi sp, sp, 64
	ret
	.size count_changed_registers, . - count_changed_registers
