/* How failures of storage reach the program. */
#ifndef SVC_STORAGE_ERROR_H
#define SVC_STORAGE_ERROR_H

#include "machine.h"

/*
 * Throws an Error that describes what could not be done to `path`. Where there is no space its `code` is
 * "storage_full", as in device/ports/files.ts, and where a drive is gone "drive_gone" (device/ports/drives.ts).
 * @param error minus an errno
 */
_Noreturn void storage_throw(xsMachine *the, const char *verb, const char *path, int error);

#endif
