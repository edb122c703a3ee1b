/*
 * The console's file system: littlefs, with the Moddable SDK's sources, on the partition `storage`. Implements the
 * interface of the simulator's storage (../../posix/native/storage/storage.h), so that files.c and its errors are
 * shared. A board has only this volume: settings are in NVS, and firmware is in slots.
 *
 * Used only on the machine's task, so the locks that the SDK's littlefs requires are no-ops.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "board-storage.h"
#include "esp_log.h"
#include "esp_partition.h"
#include "lfs.h"
#include "storage-mount.h"
#include "storage.h"

/* The cache is a page of flash: smaller writes are collected. The lookahead covers 512 blocks. */
enum { BLOCK_BYTES = 4096, READ_BYTES = 16, CACHE_BYTES = 256, LOOKAHEAD_BYTES = 64, BLOCK_CYCLES = 500 };

struct StorageFile {
	lfs_file_t file;
};

static lfs_t lfs;

static const esp_partition_t *partition_of(const struct lfs_config *configuration)
{
	return configuration->context;
}

static int read_block(const struct lfs_config *configuration, lfs_block_t block, lfs_off_t offset, void *into,
	lfs_size_t size)
{
	const size_t at = block * BLOCK_BYTES + offset;
	return esp_partition_read(partition_of(configuration), at, into, size) == ESP_OK ? 0 : LFS_ERR_IO;
}

static int program_block(const struct lfs_config *configuration, lfs_block_t block, lfs_off_t offset,
	const void *bytes, lfs_size_t size)
{
	const size_t at = block * BLOCK_BYTES + offset;
	return esp_partition_write(partition_of(configuration), at, bytes, size) == ESP_OK ? 0 : LFS_ERR_IO;
}

static int erase_block(const struct lfs_config *configuration, lfs_block_t block)
{
	const size_t at = block * BLOCK_BYTES;
	return esp_partition_erase_range(partition_of(configuration), at, BLOCK_BYTES) == ESP_OK ? 0 : LFS_ERR_IO;
}

/* A write to flash is complete when it returns, and there are no concurrent callers to lock out. */
static int nothing_to_do(const struct lfs_config *configuration)
{
	(void)configuration;
	return 0;
}

static struct lfs_config configuration = {
	.read = read_block, .prog = program_block, .erase = erase_block,
	.sync = nothing_to_do, .lock = nothing_to_do, .unlock = nothing_to_do,
	.read_size = READ_BYTES, .prog_size = READ_BYTES, .block_size = BLOCK_BYTES, .block_cycles = BLOCK_CYCLES,
	.cache_size = CACHE_BYTES, .lookahead_size = LOOKAHEAD_BYTES,
};

/* Messages go to the serial port, since there is no log yet. */
bool board_storage_start(void)
{
	static const char *const problems[] = {
		[STORAGE_IS_DAMAGED] = "damaged: erase the partition \"storage\" to make it anew, without its files",
		[STORAGE_FAILS] = "out of reach: the flash does not answer",
	};
	const esp_partition_t *partition =
		esp_partition_find_first(ESP_PARTITION_TYPE_DATA, ESP_PARTITION_SUBTYPE_ANY, "storage");
	if (!partition)
		return false;
	configuration.context = (void *)partition;
	configuration.block_count = partition->size / BLOCK_BYTES;
	const StorageMount mount = storage_mount(&lfs, &configuration);
	if (mount != STORAGE_IS_MOUNTED)
		ESP_LOGE("console", "the file system is %s", problems[mount]);
	return mount == STORAGE_IS_MOUNTED;
}

/* littlefs uses Linux's error numbers, which differ from those of the board's errno.h. */
static int error_of(int result)
{
	static const struct { int theirs, ours; } errors[] = {
		{ LFS_ERR_NOENT, -ENOENT }, { LFS_ERR_EXIST, -EEXIST }, { LFS_ERR_NOTDIR, -ENOTDIR },
		{ LFS_ERR_ISDIR, -EISDIR }, { LFS_ERR_NOTEMPTY, -ENOTEMPTY }, { LFS_ERR_FBIG, -EFBIG },
		{ LFS_ERR_INVAL, -EINVAL }, { LFS_ERR_NOSPC, -ENOSPC }, { LFS_ERR_NOMEM, -ENOMEM },
		{ LFS_ERR_NAMETOOLONG, -ENAMETOOLONG },
	};
	for (size_t index = 0; index < sizeof(errors) / sizeof(errors[0]); index++) {
		if (errors[index].theirs == result)
			return errors[index].ours;
	}
	return result < 0 ? -EIO : 0;
}

/* Requires one slash between names, and neither `.` nor `..`, which littlefs would follow. */
static bool is_path(const char *path)
{
	for (const char *name = path; ; name++) {
		size_t length = strcspn(name, "/");
		bool isDots = (length == 1 || length == 2) && strncmp(name, "..", length) == 0;
		if (length == 0 || isDots)
			return false;
		name += length;
		if (*name == 0)
			return true;
	}
}

int storage_open(StorageVolume volume, const char *path, int mode, StorageFile **file)
{
	(void)volume;
	int flags = mode & STORAGE_WRITE ? mode & STORAGE_READ ? LFS_O_RDWR : LFS_O_WRONLY : LFS_O_RDONLY;
	if (mode & STORAGE_EMPTY)
		flags |= LFS_O_CREAT | LFS_O_TRUNC;
	if (!is_path(path))
		return -EINVAL;
	*file = malloc(sizeof(StorageFile));
	if (!*file)
		return -ENOMEM;
	int result = lfs_file_open(&lfs, &(*file)->file, path, flags);
	if (result < 0)
		free(*file);
	return error_of(result);
}

void storage_close(StorageFile *file)
{
	if (file)
		(void)lfs_file_close(&lfs, &file->file);
	free(file);
}

/*
 * Seeks to a position up to the size; there is nothing to read beyond it.
 * @returns 0 or minus an errno
 */
static int seek(StorageFile *file, int64_t position)
{
	return error_of((int)lfs_file_seek(&lfs, &file->file, (lfs_soff_t)position, LFS_SEEK_SET));
}

ssize_t storage_read(StorageFile *file, void *into, size_t length, int64_t position)
{
	if (!(file->file.flags & LFS_O_RDONLY))
		return -EBADF;
	int error = seek(file, position);
	lfs_ssize_t count = error ? 0 : lfs_file_read(&lfs, &file->file, into, length);
	return error ? error : count < 0 ? error_of((int)count) : count;
}

int storage_write(StorageFile *file, const void *bytes, size_t length, int64_t position)
{
	if (!(file->file.flags & LFS_O_WRONLY))
		return -EBADF;
	int error = seek(file, position);
	return error ? error : error_of((int)lfs_file_write(&lfs, &file->file, bytes, length));
}

int storage_set_size(StorageFile *file, int64_t size)
{
	if (!(file->file.flags & LFS_O_WRONLY))
		return -EBADF;
	return error_of(lfs_file_truncate(&lfs, &file->file, (lfs_off_t)size));
}

int storage_flush(StorageFile *file)
{
	return error_of(lfs_file_sync(&lfs, &file->file));
}

int64_t storage_size(StorageFile *file)
{
	return lfs_file_size(&lfs, &file->file);
}

static StorageStatus status_of(const struct lfs_info *info)
{
	bool isDirectory = info->type == LFS_TYPE_DIR;
	return (StorageStatus){ isDirectory ? 0 : info->size, isDirectory };
}

int storage_status(StorageVolume volume, const char *path, StorageStatus *status)
{
	(void)volume;
	struct lfs_info info;
	int result = is_path(path) ? lfs_stat(&lfs, path, &info) : LFS_ERR_INVAL;
	if (result == 0)
		*status = status_of(&info);
	return error_of(result);
}

int storage_rename(StorageVolume volume, const char *from, const char *to)
{
	(void)volume;
	return is_path(from) && is_path(to) ? error_of(lfs_rename(&lfs, from, to)) : -EINVAL;
}

int storage_delete(StorageVolume volume, const char *path)
{
	(void)volume;
	return is_path(path) ? error_of(lfs_remove(&lfs, path)) : -EINVAL;
}

int storage_make_directory(StorageVolume volume, const char *path)
{
	(void)volume;
	return is_path(path) ? error_of(lfs_mkdir(&lfs, path)) : -EINVAL;
}

static void visit_all(lfs_dir_t *directory, StorageVisitor visit, void *context)
{
	struct lfs_info info;
	while (lfs_dir_read(&lfs, directory, &info) > 0) {
		StoragePath at = { 0 };
		StorageStatus status = status_of(&info);
		strncpy(at.name, info.name, sizeof(at.name) - 1);
		if (strcmp(at.name, ".") != 0 && strcmp(at.name, "..") != 0)
			visit(&at, &status, context);
	}
}

int storage_list(StorageVolume volume, const char *path, StorageVisitor visit, void *context)
{
	(void)volume;
	lfs_dir_t directory;
	if (*path && !is_path(path))
		return -EINVAL;
	int result = lfs_dir_open(&lfs, &directory, *path ? path : "/");
	if (result < 0)
		return error_of(result);
	visit_all(&directory, visit, context);
	return error_of(lfs_dir_close(&lfs, &directory));
}

void storage_capacity(int64_t *total, int64_t *free)
{
	lfs_ssize_t used = lfs_fs_size(&lfs);
	*total = (int64_t)configuration.block_count * BLOCK_BYTES;
	*free = used < 0 ? 0 : *total - (int64_t)used * BLOCK_BYTES;
}
