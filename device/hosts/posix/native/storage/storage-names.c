/* Operations on names (storage.h). Each change asks the power supply first (power.h). */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "power.h"
#include "storage-volume.h"

int storage_status(StorageVolume volume, const char *path, StorageStatus *status)
{
	return storage_status_below(storage_volume_root(volume), path, status);
}

/* A replaced target frees its blocks. */
static int rename_at(StorageVolume volume, const StoragePath *from, const StoragePath *to)
{
	StorageStatus source, target = { 0, false };
	int error = storage_status_at(from, &source);
	if (error)
		return error;
	bool isReplacing = storage_status_at(to, &target) == 0;
	if (isReplacing && target.isDirectory)
		return -EEXIST;
	if (isReplacing && source.isDirectory)
		return -ENOTDIR;
	if (power_fails())
		power_cut();
	if (renameat(from->directory, from->name, to->directory, to->name) != 0)
		return -errno;
	if (isReplacing)
		storage_add_blocks(volume, -storage_blocks_of(&target));
	return 0;
}

int storage_rename(StorageVolume volume, const char *from, const char *to)
{
	StoragePath source, target;
	StorageStatus status;
	if (strcmp(from, to) == 0)
		return storage_status(volume, from, &status);
	int error = storage_path_open(storage_volume_root(volume), from, &source);
	if (error)
		return error;
	error = storage_path_open(storage_volume_root(volume), to, &target);
	if (!error) {
		error = rename_at(volume, &source, &target);
		storage_path_close(&target);
	}
	storage_path_close(&source);
	return error;
}

int storage_list(StorageVolume volume, const char *path, StorageVisitor visit, void *context)
{
	return storage_visit(storage_volume_root(volume), path, visit, context);
}

/* A visitor: the directory is not empty. */
static void note_entry(const StoragePath *at, const StorageStatus *status, void *context)
{
	(void)at;
	(void)status;
	*(bool *)context = false;
}

static bool is_empty(const StoragePath *at)
{
	bool result = true;
	return storage_visit(at->directory, at->name, note_entry, &result) == 0 && result;
}

static int delete_at(StorageVolume volume, const StoragePath *at)
{
	StorageStatus status;
	int error = storage_status_at(at, &status);
	if (error)
		return error;
	if (status.isDirectory && !is_empty(at))
		return -ENOTEMPTY;
	if (power_fails())
		power_cut();
	if (unlinkat(at->directory, at->name, status.isDirectory ? AT_REMOVEDIR : 0) != 0)
		return -errno;
	storage_add_blocks(volume, -storage_blocks_of(&status));
	return 0;
}

int storage_delete(StorageVolume volume, const char *path)
{
	StoragePath at;
	int error = storage_path_open(storage_volume_root(volume), path, &at);
	if (error)
		return error;
	error = delete_at(volume, &at);
	storage_path_close(&at);
	return error;
}

static int make_directory_at(StorageVolume volume, const StoragePath *at)
{
	struct stat found;
	if (fstatat(at->directory, at->name, &found, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	if (!storage_has_room(volume, STORAGE_DIRECTORY_BLOCKS))
		return -ENOSPC;
	if (power_fails())
		power_cut();
	if (mkdirat(at->directory, at->name, 0755) != 0)
		return -errno;
	storage_add_blocks(volume, STORAGE_DIRECTORY_BLOCKS);
	return 0;
}

int storage_make_directory(StorageVolume volume, const char *path)
{
	StoragePath at;
	int error = storage_path_open(storage_volume_root(volume), path, &at);
	if (error)
		return error;
	error = make_directory_at(volume, &at);
	storage_path_close(&at);
	return error;
}
