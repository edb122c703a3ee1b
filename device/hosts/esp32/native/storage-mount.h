/* Whether the file system can be used as it is, and whether it may be made anew. Knows no partition. */
#ifndef SVC_STORAGE_MOUNT_H
#define SVC_STORAGE_MOUNT_H

#include "lfs.h"

typedef enum {
	STORAGE_IS_MOUNTED,
	STORAGE_IS_DAMAGED,		/* what is there is no file system, and is left as it is */
	STORAGE_FAILS,			/* the flash does not answer */
} StorageMount;

/*
 * Mounts the file system. Where it finds none it makes one if nothing was ever written there: littlefs says the same of
 * flash that is erased and of a file system whose beginning is damaged, whose files are not to be lost for that.
 */
StorageMount storage_mount(lfs_t *lfs, const struct lfs_config *configuration);

#endif
