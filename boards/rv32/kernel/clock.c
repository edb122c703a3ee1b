/* Time is the time spent waiting plus the time of the executed instructions (clock.h). */
#include "clock.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>

static const uint64_t SECOND = 1000 * 1000 * 1000;		/* in nanoseconds */

/* An integer for any likely clock rate, so that reading the time divides by powers of two only. */
#define NANOSECONDS_OF_8_INSTRUCTIONS (8 * 1000000000ull * CLOCK_CYCLES_PER_TWO_INSTRUCTIONS / (2ull * CLOCK_HZ))
_Static_assert(NANOSECONDS_OF_8_INSTRUCTIONS * 2 * CLOCK_HZ == 8 * 1000000000ull * CLOCK_CYCLES_PER_TWO_INSTRUCTIONS,
	"eight instructions take a whole number of nanoseconds");

static uint64_t waited;		/* nanoseconds */

static uint32_t upper_half(void)
{
	uint32_t half;
	__asm__ volatile(".option push\n\t.option arch, +zicsr\n\tcsrr %0, minstreth\n\t.option pop" : "=r"(half));
	return half;
}

static uint32_t lower_half(void)
{
	uint32_t half;
	__asm__ volatile(".option push\n\t.option arch, +zicsr\n\tcsrr %0, minstret\n\t.option pop" : "=r"(half));
	return half;
}

/* If the lower half overflows between the reads, the upper half differs. */
uint64_t clock_instructions(void)
{
	uint32_t upper, lower;
	do {
		upper = upper_half();
		lower = lower_half();
	} while (upper != upper_half());
	return (uint64_t)upper << 32 | lower;
}

uint64_t clock_now(void)
{
	return waited + clock_instructions() * NANOSECONDS_OF_8_INSTRUCTIONS / 8;
}

void clock_wait_until(uint64_t at)
{
	const uint64_t now = clock_now();
	if (at > now)
		waited += at - now;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	const uint64_t now = clock_now();
	(void)clock;
	time->tv_sec = now / SECOND;
	time->tv_nsec = now - time->tv_sec * SECOND;		// a second division would cost more than everything else
	return 0;
}

/* The C library's would return the host's time, which differs in each run. */
int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*time = (struct timeval){ .tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000 };
	return 0;
}
