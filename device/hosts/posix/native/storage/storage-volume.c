/* The volumes, what is in them and what it takes (storage-volume.h). */
#define _FILE_OFFSET_BITS 64
#include "storage-volume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

static int roots[STORAGE_VOLUMES] = { -1, -1, -1 };
static int64_t usedBlocks = -1;		/* of STORAGE_FILES; -1 until they have been counted */

static const char *const NAMES[STORAGE_VOLUMES] = { "lfs", "kv", "slots" };

int storage_volume_root(StorageVolume volume)
{
	if (roots[volume] >= 0)
		return roots[volume];
	const char *path = options_state_path(NAMES[volume]);
	if (mkdir(path, 0755) == 0 || errno == EEXIST)
		roots[volume] = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (roots[volume] < 0) {
		fprintf(stderr, "console: cannot open \"%s\": %s\n", path, strerror(errno));
		exit(1);
	}
	return roots[volume];
}

int storage_status_at(const StoragePath *at, StorageStatus *status)
{
	struct stat found;
	if (fstatat(at->directory, at->name, &found, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
		return -ENOENT;
	*status = (StorageStatus){ S_ISDIR(found.st_mode) ? 0 : found.st_size, S_ISDIR(found.st_mode) };
	return 0;
}

int64_t storage_blocks_for(int64_t size)
{
	return (size + STORAGE_BLOCK_BYTES - 1) / STORAGE_BLOCK_BYTES;
}

int64_t storage_blocks_of(const StorageStatus *status)
{
	return status->isDirectory ? STORAGE_DIRECTORY_BLOCKS : storage_blocks_for(status->size);
}

int storage_visit(int directory, StorageVisitor visit, void *context)
{
	DIR *list = fdopendir(directory);
	if (!list) {
		close(directory);
		return -ENOMEM;
	}
	for (struct dirent *entry; (entry = readdir(list)); ) {
		StoragePath at = { .directory = directory };
		StorageStatus status;
		snprintf(at.name, sizeof(at.name), "%s", entry->d_name);
		if (strcmp(at.name, ".") != 0 && strcmp(at.name, "..") != 0 && storage_status_at(&at, &status) == 0)
			visit(&at, &status, context);
	}
	closedir(list);
	return 0;
}

/* A visitor: adds what an entry takes, and everything below it. */
static void count_blocks(const StoragePath *at, const StorageStatus *status, void *context)
{
	*(int64_t *)context += storage_blocks_of(status);
	int directory = status->isDirectory ? storage_path_open_directory(at->directory, at->name) : -1;
	if (directory >= 0)
		storage_visit(directory, count_blocks, context);
}

static int64_t used_blocks(void)
{
	if (usedBlocks < 0) {
		usedBlocks = STORAGE_DIRECTORY_BLOCKS;
		storage_visit(storage_path_open_directory(storage_volume_root(STORAGE_FILES), ""), count_blocks, &usedBlocks);
	}
	return usedBlocks;
}

bool storage_has_room(StorageVolume volume, int64_t blocks)
{
	return volume != STORAGE_FILES || blocks <= 0 || used_blocks() + blocks <= STORAGE_BLOCKS;
}

void storage_add_blocks(StorageVolume volume, int64_t blocks)
{
	// Where blocks are not counted yet, a later count includes the change.
	if (volume == STORAGE_FILES && usedBlocks >= 0)
		usedBlocks += blocks;
}

void storage_capacity(int64_t *total, int64_t *free)
{
	*total = (int64_t)STORAGE_BLOCKS * STORAGE_BLOCK_BYTES;
	*free = (STORAGE_BLOCKS - used_blocks()) * STORAGE_BLOCK_BYTES;
}
