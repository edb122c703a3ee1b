/* The kernel as a program, which prints the milliseconds that it took. */
#include <stdio.h>
#include <time.h>

#include "kernel.h"

int main(void)
{
	struct timespec began, ended;
	clock_gettime(CLOCK_MONOTONIC, &began);
	const int result = kernel(KERNEL_ROUNDS);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	printf("%.0f\n", result < 0 ? -1 : (double)(ended.tv_sec - began.tv_sec) * 1e3 + (double)(ended.tv_nsec - began.tv_nsec) / 1e6);
	return 0;
}
