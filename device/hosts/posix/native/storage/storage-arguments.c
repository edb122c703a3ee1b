/* Copies and checks (storage-arguments.h). */
#include "storage-arguments.h"

#include <string.h>

/* Positions and sizes have the limit of littlefs (LFS_FILE_MAX). */
static const xsNumberValue MAXIMUM_POSITION = 2147483647;

PathArgument path_argument(xsMachine *the, xsSlot value)
{
	PathArgument path;
	const char *text = xsmcToString(value);
	size_t length = strlen(text);
	// XS stores U+0000 as C0 80; no other character contains C0. It must not become part of a name.
	if (length > MAXIMUM_PATH_LENGTH || memchr(text, 0xC0, length))
		xsRangeError("bad path");
	memcpy(path.text, text, length + 1);
	return path;
}

int64_t position_argument(xsMachine *the, xsSlot value)
{
	xsNumberValue position = xsmcToNumber(value);
	if (!(position >= 0 && position <= MAXIMUM_POSITION))		// negated so that NaN fails
		xsRangeError("bad position");
	return (int64_t)position;
}
