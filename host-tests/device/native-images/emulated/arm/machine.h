/* Linux on Arm, whose functions pass numbers of floating point in registers of their own, as images do not. */
#ifndef SVC_MACHINE_H
#define SVC_MACHINE_H

#include <math.h>

#include "native-image.h"

enum { SYSTEM_WRITE = 4, SYSTEM_MPROTECT = 125, SYSTEM_EXIT = 1 };

#define MACHINE "thumbv7m"
#define ARE_VARIABLES_APART false
#define NUMBERS .round = round_number, .round_float = round_float, .root = root, .root_float = root_float,

static void fetch_again(void) { __asm__ volatile("dsb\n\tisb" : : : "memory"); }

static double NATIVE_NUMBERS round_number(int way, double value)
{
	return way == NATIVE_FLOOR ? floor(value) : way == NATIVE_CEILING ? ceil(value) : way == NATIVE_TRUNCATE ? trunc(value) : rint(value);
}

static float NATIVE_NUMBERS round_float(int way, float value)
{
	return way == NATIVE_FLOOR ? floorf(value) : way == NATIVE_CEILING ? ceilf(value) : way == NATIVE_TRUNCATE ? truncf(value) : rintf(value);
}

static double NATIVE_NUMBERS root(double value) { return sqrt(value); }
static float NATIVE_NUMBERS root_float(float value) { return sqrtf(value); }

#endif
