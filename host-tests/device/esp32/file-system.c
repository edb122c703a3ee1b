/* When the file system is made anew, of a flash that holds nothing, something, or does not answer. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "storage-mount.h"

enum { BLOCK_BYTES = 4096, BLOCKS = 3, NOWHERE = -1 };

static uint8_t flash[BLOCKS * BLOCK_BYTES];
static int mounts;			/* what littlefs says of a file system that it is to mount */
static bool isFormatted, isDead;

int lfs_mount(lfs_t *lfs, const struct lfs_config *config)
{
	(void)lfs, (void)config;
	return isFormatted ? 0 : mounts;
}

int lfs_format(lfs_t *lfs, const struct lfs_config *config)
{
	(void)lfs, (void)config;
	isFormatted = true;
	return 0;
}

static int read_block(const struct lfs_config *config, lfs_block_t block, lfs_off_t offset, void *into, lfs_size_t size)
{
	(void)config;
	memcpy(into, flash + block * BLOCK_BYTES + offset, size);
	return isDead ? LFS_ERR_IO : 0;
}

static const struct {
	const char *name;
	int mounts;
	int writtenAt;			/* the only byte that is not erased */
	bool isDead;
	StorageMount result;
	bool isFormatted;
} CASES[] = {
	{ "a file system is mounted", 0, 0, false, STORAGE_IS_MOUNTED, false },
	{ "an erased partition gets one", LFS_ERR_CORRUPT, NOWHERE, false, STORAGE_IS_MOUNTED, true },
	{ "what is behind the first two blocks is of no account", LFS_ERR_CORRUPT, 2 * BLOCK_BYTES, false,
		STORAGE_IS_MOUNTED, true },
	{ "a byte in the first block is kept", LFS_ERR_CORRUPT, 0, false, STORAGE_IS_DAMAGED, false },
	{ "the last byte of the second block is kept", LFS_ERR_CORRUPT, 2 * BLOCK_BYTES - 1, false, STORAGE_IS_DAMAGED,
		false },
	{ "no memory is no damage", LFS_ERR_NOMEM, NOWHERE, false, STORAGE_FAILS, false },
	{ "flash that does not answer is not emptied", LFS_ERR_IO, NOWHERE, true, STORAGE_FAILS, false },
	{ "not even when it does at first", LFS_ERR_CORRUPT, NOWHERE, true, STORAGE_FAILS, false },
};

int main(void)
{
	const struct lfs_config configuration = { .read = read_block, .block_size = BLOCK_BYTES, .block_count = BLOCKS };
	int failures = 0;
	for (size_t index = 0; index < sizeof(CASES) / sizeof(CASES[0]); index++) {
		lfs_t lfs;
		memset(flash, 0xFF, sizeof(flash));
		if (CASES[index].writtenAt != NOWHERE)
			flash[CASES[index].writtenAt] = 0xFE;
		mounts = CASES[index].mounts;
		isDead = CASES[index].isDead;
		isFormatted = false;
		const StorageMount result = storage_mount(&lfs, &configuration);
		if (result != CASES[index].result || isFormatted != CASES[index].isFormatted)
			printf("%s: %d, formatted: %d\n", CASES[index].name, result, isFormatted), failures++;
	}
	return failures > 0;
}
