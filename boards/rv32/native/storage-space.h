/* The account of the file system's blocks (storage.h). What other volumes take is not counted. */
#ifndef SVC_STORAGE_SPACE_H
#define SVC_STORAGE_SPACE_H

#include "storage-tree.h"

/* Blocks of a file of that size. */
int64_t storage_blocks_for(int64_t size);
int64_t storage_blocks_of(const StorageNode *node);

/* Whether the volume has room for this many blocks more; may be negative. */
bool storage_has_room(StorageVolume volume, int64_t blocks);
void storage_add_blocks(StorageVolume volume, int64_t blocks);

/* Once no name leads to it and it is not open, its space is freed, and its content is gone. */
void storage_let_go(StorageVolume volume, StorageNode *node);

#endif
