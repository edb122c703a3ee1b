/*
 * Time and work, both of which repeat exactly. Time is what the console has waited, and what its instructions take
 * at CLOCK_HZ with CLOCK_CYCLES_PER_TWO_INSTRUCTIONS: so what a program does because time has passed, it does here
 * as it would on the board.
 */
#ifndef SVC_CLOCK_H
#define SVC_CLOCK_H

#include <stdint.h>

/* An ESP32-C3's clock. Of its cycles an instruction is assumed to take 1.5: a load or a taken branch takes two or three. */
enum { CLOCK_HZ = 160 * 1000 * 1000, CLOCK_CYCLES_PER_TWO_INSTRUCTIONS = 3 };

/* Instructions executed since power on (minstret; exact under QEMU's -icount alone). */
uint64_t clock_instructions(void);

/* Nanoseconds since power on. Also clock_gettime(), of any clock, and gettimeofday(): there is no other time. */
uint64_t clock_now(void);

/* Let time pass while every thread is idle. No-op where `at` is in the past. */
void clock_wait_until(uint64_t at);

#endif
