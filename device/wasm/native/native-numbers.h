/* What a native image asks of its host for numbers of floating point (native-image.h), by the C library. */
#ifndef SVC_NATIVE_NUMBERS_H
#define SVC_NATIVE_NUMBERS_H

#include <math.h>

#include "native-image.h"

static double NATIVE_NUMBERS native_round(int way, double value)
{
	return way == NATIVE_FLOOR ? floor(value) : way == NATIVE_CEILING ? ceil(value) : way == NATIVE_TRUNCATE ? trunc(value) : rint(value);
}

static float NATIVE_NUMBERS native_round_float(int way, float value)
{
	return way == NATIVE_FLOOR ? floorf(value) : way == NATIVE_CEILING ? ceilf(value) : way == NATIVE_TRUNCATE ? truncf(value) : rintf(value);
}

static double NATIVE_NUMBERS native_root(double value) { return sqrt(value); }
static float NATIVE_NUMBERS native_root_float(float value) { return sqrtf(value); }

/* Members of a NativeHost. */
#define NATIVE_HOST_NUMBERS .round = native_round, .round_float = native_round_float, .root = native_root, .root_float = native_root_float

#endif
