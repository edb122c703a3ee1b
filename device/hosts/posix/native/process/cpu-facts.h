/* The processor as /proc/cpuinfo reports it. */
#ifndef SVC_CPU_FACTS_H
#define SVC_CPU_FACTS_H

typedef struct {
	char model[128];
	int cores;
	double frequencyMhz;	/* 0 if unknown */
} CpuFacts;

CpuFacts cpu_facts(void);

#endif
