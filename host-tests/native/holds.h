/* Conditions of a test program in C: each one that does not hold is printed, and counted for the program's exit status. */
#ifndef HOLDS_H
#define HOLDS_H

#include <stdio.h>

static int failures;

#define HOLDS(condition) \
	do { \
		if (!(condition)) { \
			printf("line %d: %s\n", __LINE__, #condition); \
			failures++; \
		} \
	} while (0)

#endif
