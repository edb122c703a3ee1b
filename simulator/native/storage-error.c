/* Errors with a message and, for a full medium, a code (storage-error.h). */
#include "storage-error.h"

enum { MESSAGE_BYTES = 512 };

_Noreturn void storage_throw(xsMachine *the, const char *verb, const char *path, int error)
{
	char message[MESSAGE_BYTES];		// the path may be in memory that moves
	snprintf(message, sizeof(message), "Cannot %s \"%s\": %s", verb, path, strerror(-error));
	xsmcVars(2);
	xsmcSetString(xsVar(1), message);
	xsVar(0) = xsNew1(xsGlobal, xsID("Error"), xsVar(1));
	if (error == -ENOSPC) {
		xsmcSetString(xsVar(1), "storage_full");
		xsmcSet(xsVar(0), xsID("code"), xsVar(1));
	}
	xsThrow(xsVar(0));
	__builtin_unreachable();
}
