/*
 * Time and work, both of which repeat exactly. Time is what the console has waited, plus the time of its instructions
 * at CLOCK_HZ with CLOCK_CYCLES_PER_TWO_INSTRUCTIONS: so time-dependent code behaves as on the board.
 */
#ifndef SVC_CLOCK_H
#define SVC_CLOCK_H

#include <stdint.h>

/*
 * The clock rate of an ESP32-C3. An instruction is assumed to take 1.5 cycles: a load or a taken branch takes two or
 * three.
 */
enum { CLOCK_HZ = 160 * 1000 * 1000, CLOCK_CYCLES_PER_TWO_INSTRUCTIONS = 3 };

/* Instructions executed since power on (minstret; exact only with QEMU's -icount). */
uint64_t clock_instructions(void);

/* Nanoseconds since power on. clock_gettime(), for any clock, and gettimeofday() return the same time. */
uint64_t clock_now(void);

/* Let time pass while every thread is idle. No-op where `at` is in the past. */
void clock_wait_until(uint64_t at);

#endif
