/* The volumes, their entries and the blocks that these take (storage-volume.h). */
#define _FILE_OFFSET_BITS 64
#include "storage-volume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

static int roots[STORAGE_VOLUMES] = { -1, -1, -1 };
static int64_t usedBlocks = -1;		/* of STORAGE_FILES; -1 until counted */

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

int storage_status_below(int root, const char *path, StorageStatus *status)
{
	StoragePath at;
	int error = storage_path_open(root, path, &at);
	if (error)
		return error;
	error = storage_status_at(&at, status);
	storage_path_close(&at);
	return error;
}

ssize_t storage_read_from(int fd, void *into, size_t length, int64_t position)
{
	size_t done = 0;
	while (done < length) {
		ssize_t count = pread(fd, (uint8_t *)into + done, length - done, position + done);
		if (count < 0 && errno != EINTR)
			return -errno;
		if (count == 0)
			break;
		if (count > 0)
			done += count;
	}
	return done;
}

int64_t storage_blocks_for(int64_t size)
{
	return (size + STORAGE_BLOCK_BYTES - 1) / STORAGE_BLOCK_BYTES;
}

int64_t storage_blocks_of(const StorageStatus *status)
{
	return status->isDirectory ? STORAGE_DIRECTORY_BLOCKS : storage_blocks_for(status->size);
}

int storage_open_list(int root, const char *path, DIR **list)
{
	int directory = storage_path_open_directory(root, path);
	if (directory < 0)
		return directory;
	*list = fdopendir(directory);
	if (*list)
		return 0;
	close(directory);
	return -ENOMEM;
}

bool storage_next_entry(DIR *list, StoragePath *at, StorageStatus *status)
{
	for (struct dirent *entry; (entry = readdir(list)); ) {
		at->directory = dirfd(list);
		snprintf(at->name, sizeof(at->name), "%s", entry->d_name);
		if (strcmp(at->name, ".") != 0 && strcmp(at->name, "..") != 0 && storage_status_at(at, status) == 0)
			return true;
	}
	return false;
}

int storage_visit(int root, const char *path, StorageVisitor visit, void *context)
{
	DIR *list;
	StoragePath at;
	StorageStatus status;
	int error = storage_open_list(root, path, &list);
	if (error)
		return error;
	while (storage_next_entry(list, &at, &status))
		visit(&at, &status, context);
	closedir(list);
	return 0;
}

/* A visitor: adds the blocks of an entry and of everything below it. */
static void count_blocks(const StoragePath *at, const StorageStatus *status, void *context)
{
	*(int64_t *)context += storage_blocks_of(status);
	if (status->isDirectory)
		(void)storage_visit(at->directory, at->name, count_blocks, context);
}

static int64_t used_blocks(void)
{
	if (usedBlocks < 0) {
		usedBlocks = STORAGE_DIRECTORY_BLOCKS;
		(void)storage_visit(storage_volume_root(STORAGE_FILES), "", count_blocks, &usedBlocks);
	}
	return usedBlocks;
}

bool storage_has_room(StorageVolume volume, int64_t blocks)
{
	return volume != STORAGE_FILES || blocks <= 0 || used_blocks() + blocks <= STORAGE_BLOCKS;
}

void storage_add_blocks(StorageVolume volume, int64_t blocks)
{
	// If the blocks are not counted yet, a later count includes the change.
	if (volume == STORAGE_FILES && usedBlocks >= 0)
		usedBlocks += blocks;
}

void storage_capacity(int64_t *total, int64_t *free)
{
	*total = (int64_t)STORAGE_BLOCKS * STORAGE_BLOCK_BYTES;
	*free = (STORAGE_BLOCKS - used_blocks()) * STORAGE_BLOCK_BYTES;
}
