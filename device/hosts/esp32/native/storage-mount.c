/* A file system starts with two blocks, which formatting writes first: if both are erased, there is no file system. */
#include "storage-mount.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRST_BLOCKS = 2, PIECE_BYTES = 256, ERASED = 0xFF };

static bool is_erased(const uint8_t *bytes, size_t length)
{
	for (size_t index = 0; index < length; index++) {
		if (bytes[index] != ERASED)
			return false;
	}
	return true;
}

/* @returns an error of littlefs if the flash cannot be read */
static int read_first_blocks(const struct lfs_config *configuration, bool *areErased)
{
	uint8_t piece[PIECE_BYTES];
	*areErased = true;
	for (lfs_block_t block = 0; block < FIRST_BLOCKS; block++) {
		for (lfs_off_t offset = 0; offset < configuration->block_size && *areErased; offset += PIECE_BYTES) {
			int error = configuration->read(configuration, block, offset, piece, PIECE_BYTES);
			if (error)
				return error;
			*areErased = is_erased(piece, PIECE_BYTES);
		}
	}
	return 0;
}

static StorageMount make(lfs_t *lfs, const struct lfs_config *configuration)
{
	int error = lfs_format(lfs, configuration);
	if (!error)
		error = lfs_mount(lfs, configuration);
	return error ? STORAGE_FAILS : STORAGE_IS_MOUNTED;
}

StorageMount storage_mount(lfs_t *lfs, const struct lfs_config *configuration)
{
	bool areErased;
	int error = lfs_mount(lfs, configuration);
	if (error != LFS_ERR_CORRUPT)
		return error ? STORAGE_FAILS : STORAGE_IS_MOUNTED;
	if (read_first_blocks(configuration, &areErased) != 0)
		return STORAGE_FAILS;
	return areErased ? make(lfs, configuration) : STORAGE_IS_DAMAGED;
}
