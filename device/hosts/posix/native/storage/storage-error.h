/* Storage errors as exceptions. */
#ifndef SVC_STORAGE_ERROR_H
#define SVC_STORAGE_ERROR_H

#include "machine.h"

/*
 * Throws an Error that says what failed for `path`. If the volume is full, its `code` is "storage_full"
 * (device/ports/files.ts); if a drive is gone, "drive_gone" (device/ports/drives.ts); for -EBADMSG
 * "image_invalid" (device/ports/firmware-slots.ts).
 * @param error minus an errno
 */
_Noreturn void storage_throw(xsMachine *the, const char *verb, const char *path, int error);

#endif
