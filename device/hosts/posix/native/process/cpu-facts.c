/* Reads /proc/cpuinfo up to the first processor's frequency (cpu-facts.h). */
#include "cpu-facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CpuFacts cpu_facts(void)
{
	CpuFacts facts = { .model = "unknown", .cores = sysconf(_SC_NPROCESSORS_ONLN) };
	char line[256];
	FILE *file = fopen("/proc/cpuinfo", "r");
	while (file && facts.frequencyMhz == 0 && fgets(line, sizeof(line), file)) {
		char *value = strstr(line, ": ");
		if (!value)
			continue;
		value[strcspn(value, "\n")] = 0;
		if (strncmp(line, "model name", 10) == 0)
			snprintf(facts.model, sizeof(facts.model), "%s", value + 2);
		else if (strncmp(line, "cpu MHz", 7) == 0)
			facts.frequencyMhz = round(atof(value + 2));
	}
	if (file)
		fclose(file);
	return facts;
}
