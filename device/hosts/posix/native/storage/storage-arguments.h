/* Arguments that all file classes take: paths and positions. */
#ifndef SVC_STORAGE_ARGUMENTS_H
#define SVC_STORAGE_ARGUMENTS_H

#include <stdint.h>

#include "machine.h"

enum { MAXIMUM_PATH_LENGTH = 512 };

/* A copy of a path, since strings in the machine's memory move. */
typedef struct {
	char text[MAXIMUM_PATH_LENGTH + 1];
} PathArgument;

/* Throws a RangeError if the path is too long or contains U+0000. */
PathArgument path_argument(xsMachine *the, xsSlot value);

/* Throws a RangeError for an invalid file position. */
int64_t position_argument(xsMachine *the, xsSlot value);

#endif
