/* The processor whose clock rate time is based on (cpu-facts.h, kernel/clock.h). */
#include "cpu-facts.h"

#include "clock.h"

CpuFacts cpu_facts(void)
{
	return (CpuFacts){ .model = "RV32IMAC", .cores = 1, .frequencyMhz = CLOCK_HZ / 1000000 };
}
