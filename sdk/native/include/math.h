/* Of the C library, what an image uses: the compiler's own, or what the console does for it. */
#ifndef SVC_IMAGE_MATH_H
#define SVC_IMAGE_MATH_H

#include "native-image.h"

#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define isnan(value) __builtin_isnan(value)
#define signbit(value) __builtin_signbit(value)
#define fabs __builtin_fabs
#define fabsf __builtin_fabsf
#define copysign __builtin_copysign
#define copysignf __builtin_copysignf

double image_round(int way, double value);
float image_round_float(int way, float value);
double image_root(double value);
float image_root_float(float value);

#define floor(value) image_round(NATIVE_FLOOR, value)
#define ceil(value) image_round(NATIVE_CEILING, value)
#define trunc(value) image_round(NATIVE_TRUNCATE, value)
#define nearbyint(value) image_round(NATIVE_NEAREST, value)
#define floorf(value) image_round_float(NATIVE_FLOOR, value)
#define ceilf(value) image_round_float(NATIVE_CEILING, value)
#define truncf(value) image_round_float(NATIVE_TRUNCATE, value)
#define nearbyintf(value) image_round_float(NATIVE_NEAREST, value)
#define sqrt image_root
#define sqrtf image_root_float

#endif
