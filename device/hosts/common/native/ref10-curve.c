/*
 * Points of the curve: the part of ref10, the reference implementation of Ed25519, that verification needs. OpenSSL's
 * implementation derives from ref10, too. Nothing else of the npm package is compiled, and nothing is changed.
 */
#include "../../../../node_modules/ref10/src/ed25519/ge.h"

#include "../../../../node_modules/ref10/src/ed25519/crypto_verify_32.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_0.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_1.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_add.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_copy.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_frombytes.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_invert.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_isnegative.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_isnonzero.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_mul.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_neg.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_pow22523.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_sq.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_sq2.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_sub.c"
#include "../../../../node_modules/ref10/src/ed25519/fe_tobytes.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_add.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_frombytes.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_madd.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_msub.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_p1p1_to_p2.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_p1p1_to_p3.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_p2_0.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_p2_dbl.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_p3_dbl.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_p3_to_cached.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_p3_to_p2.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_sub.c"
#include "../../../../node_modules/ref10/src/ed25519/ge_tobytes.c"

/* The multiples of the base point are never written: as constants they take flash, not 960 bytes of RAM. */
#define ge_precomp const ge_precomp
#include "../../../../node_modules/ref10/src/ed25519/ge_double_scalarmult.c"
