/* Conditions of a test program in C: each one that does not hold is printed, and counted for the program's exit status. */
#ifndef HOLDS_H
#define HOLDS_H

#include <stdio.h>

enum { PRINTED_FAILURES = 20 };

static int failures;

/* What follows the condition, a format and its values, says which of many it was. */
#define HOLDS(condition, ...) \
	do { \
		if (!(condition) && failures++ < PRINTED_FAILURES) { \
			printf("line %d: %s", __LINE__, #condition); \
			__VA_OPT__(printf(": " __VA_ARGS__);) \
			printf("\n"); \
		} \
	} while (0)

#endif
