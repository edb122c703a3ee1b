/* Errors with a message and, for some, a code (storage-error.h). */
#include "storage-error.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 512 };

/* Errors that programs distinguish; NULL for the rest. */
static const char *code_of(int error)
{
	switch (error) {
	case -ENOSPC: return "storage_full";
	case -ENODEV: return "drive_gone";
	case -EBADMSG: return "image_invalid";		// of firmware
	default: return NULL;
	}
}

_Noreturn void storage_throw(xsMachine *the, const char *verb, const char *path, int error)
{
	char message[MESSAGE_BYTES];		// the path may be in memory that moves
	snprintf(message, sizeof(message), "Cannot %s \"%s\": %s", verb, path, strerror(-error));
	xsmcVars(2);
	xsmcSetString(xsVar(1), message);
	xsVar(0) = xsNew1(xsGlobal, xsID("Error"), xsVar(1));
	const char *code = code_of(error);
	if (code) {
		xsmcSetString(xsVar(1), (char *)code);
		xsmcSet(xsVar(0), xsID("code"), xsVar(1));
	}
	xsThrow(xsVar(0));
	__builtin_unreachable();
}
