/* Arguments that every class of files takes: paths and positions. */
#ifndef SVC_STORAGE_ARGUMENTS_H
#define SVC_STORAGE_ARGUMENTS_H

#include <stdint.h>

#include "machine.h"

enum { MAXIMUM_PATH_LENGTH = 512 };

/* A path, out of the machine's memory, which moves. */
typedef struct {
	char text[MAXIMUM_PATH_LENGTH + 1];
} PathArgument;

/* Throws a RangeError for one that is too long, or has U+0000 in it. */
PathArgument path_argument(xsMachine *the, xsSlot value);

/* Throws a RangeError for an invalid file position. */
int64_t position_argument(xsMachine *the, xsSlot value);

#endif
