/* Numbers modulo the order of the curve, out of ref10 (ref10-curve.c, whose static functions have the same names). */
#include "../../../../node_modules/ref10/src/ed25519/sc_reduce.c"
