/*
 * Physical memory protection (the RISC-V privileged specification, 3.7), locked, so that it also applies in machine
 * mode.
 */
#include "flash.h"

#include <semihost.h>
#include <stdint.h>
#include <stdio.h>

#include "board.h"

__asm__(".option arch, +zicsr");

/* From the linker. */
extern uint8_t __flash[], __flash_size[];

/* Bits of a pmpcfg register: read and execute, a naturally aligned power of two, locked. */
enum { PMP_READ = 1, PMP_EXECUTE = 4, PMP_NAPOT = 3 << 3, PMP_LOCKED = 1 << 7 };

enum { STORE_ACCESS_FAULT = 7 };

/* Traps are errors: we use none. */
__attribute__((interrupt("machine"), aligned(4))) static void trap(void)
{
	uintptr_t cause, address, counter;
	__asm__ volatile("csrr %0, mcause\ncsrr %1, mtval\ncsrr %2, mepc" : "=r"(cause), "=r"(address), "=r"(counter));
	fprintf(stderr, "console: %s 0x%08lx, at 0x%08lx (cause %lu)\n",
		cause == STORE_ACCESS_FAULT ? "the flash is written at" : "a trap at", (unsigned long)address,
		(unsigned long)counter, (unsigned long)cause);
	board_power_off(1);
}

void flash_protect(void)
{
	const uintptr_t region = ((uintptr_t)__flash >> 2) | (((uintptr_t)__flash_size >> 3) - 1);
	const uintptr_t rights = PMP_READ | PMP_EXECUTE | PMP_NAPOT | PMP_LOCKED;
	__asm__ volatile("csrw mtvec, %0\ncsrw pmpaddr0, %1\ncsrw pmpcfg0, %2" : : "r"(trap), "r"(region), "r"(rights));
}
