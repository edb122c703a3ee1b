/*
 * Tells Debian's assembler and linker, which are for a core without windows of registers, of the generic one: binutils' own
 * description, in the order of bytes that consoles have (`XTENSA_GNU_CONFIG`, include/xtensa-dynconfig.h of binutils).
 */
#define XTENSA_CONFIG_DEFINITION
#include "xtensa-config.h"

#undef XCHAL_HAVE_BE
#define XCHAL_HAVE_BE 0

#include "xtensa-dynconfig.h"

XTENSA_CONFIG_INSTANCE_LIST;
