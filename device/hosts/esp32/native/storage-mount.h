/* Whether the file system can be used, and whether it may be formatted. Independent of partitions. */
#ifndef SVC_STORAGE_MOUNT_H
#define SVC_STORAGE_MOUNT_H

#include "lfs.h"

typedef enum {
	STORAGE_IS_MOUNTED,
	STORAGE_IS_DAMAGED,		/* not a valid file system; it is not changed */
	STORAGE_FAILS,			/* the flash cannot be read */
} StorageMount;

/*
 * Mounts the file system. If there is none, formats the flash, but only if nothing was ever written there: littlefs
 * returns the same error for erased flash and for a file system with a damaged start, whose files must not be lost.
 */
StorageMount storage_mount(lfs_t *lfs, const struct lfs_config *configuration);

#endif
