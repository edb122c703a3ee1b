/* wasm3's m3_env.c, as it is, which runs code where a module is initialized and where a function is called. */
#include "wasm3-trampoline.h"

#include "m3_env.c"
