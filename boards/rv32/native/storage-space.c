/* Counts blocks as they are used and freed (storage-space.h); initially none is used. */
#include "storage-space.h"

#include "storage-contents.h"

static int64_t usedBlocks = STORAGE_DIRECTORY_BLOCKS;		/* of STORAGE_FILES, including its root directory */

int64_t storage_blocks_for(int64_t size)
{
	return (size + STORAGE_BLOCK_BYTES - 1) / STORAGE_BLOCK_BYTES;
}

int64_t storage_blocks_of(const StorageNode *node)
{
	return node->isDirectory ? STORAGE_DIRECTORY_BLOCKS : storage_blocks_for(node->size);
}

bool storage_has_room(StorageVolume volume, int64_t blocks)
{
	return volume != STORAGE_FILES || blocks <= 0 || usedBlocks + blocks <= STORAGE_BLOCKS;
}

void storage_add_blocks(StorageVolume volume, int64_t blocks)
{
	if (volume == STORAGE_FILES)
		usedBlocks += blocks;
}

void storage_free_unused(StorageVolume volume, StorageNode *node)
{
	if (node->parent || node->openings > 0)
		return;
	storage_add_blocks(volume, -storage_blocks_of(node));
	if (!node->isDirectory)
		storage_contents_delete(storage_tree_number(node));
}

void storage_capacity(int64_t *total, int64_t *free)
{
	*total = (int64_t)STORAGE_BLOCKS * STORAGE_BLOCK_BYTES;
	*free = (STORAGE_BLOCKS - usedBlocks) * STORAGE_BLOCK_BYTES;
}
