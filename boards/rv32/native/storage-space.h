/* The account of the file system's blocks (storage.h). Other volumes are not counted. */
#ifndef SVC_STORAGE_SPACE_H
#define SVC_STORAGE_SPACE_H

#include "storage-tree.h"

/* Number of blocks of a file of that size. */
int64_t storage_blocks_for(int64_t size);
int64_t storage_blocks_of(const StorageNode *node);

/* Whether the volume has room for this many more blocks; `blocks` may be negative. */
bool storage_has_room(StorageVolume volume, int64_t blocks);
void storage_add_blocks(StorageVolume volume, int64_t blocks);

/* Frees the space and the content of a node that has no name and is not open. */
void storage_free_unused(StorageVolume volume, StorageNode *node);

#endif
