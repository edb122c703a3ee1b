/*
 * Numbers modulo the order of the curve, from ref10. In a file of their own, since ref10-curve.c has static functions
 * of the same names.
 */
#include "../../../../node_modules/ref10/src/ed25519/sc_reduce.c"
