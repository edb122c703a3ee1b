/* Operations on the content of files (storage.h). Each change asks the power supply first (power.h). */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "power.h"
#include "storage-volume.h"

struct StorageFile {
	int fd;
	int mode;
	StorageVolume volume;
};

static int create(const StoragePath *at, StorageFile *file)
{
	if (power_fails())
		power_cut();
	file->fd = openat(at->directory, at->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return file->fd < 0 ? -errno : 0;
}

static int open_existing(const StoragePath *at, StorageFile *file)
{
	int access = file->mode & STORAGE_WRITE ? O_RDWR : O_RDONLY;
	file->fd = openat(at->directory, at->name, access | O_NOFOLLOW | O_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	return file->mode & STORAGE_EMPTY && storage_size(file) > 0 ? storage_set_size(file, 0) : 0;
}

static int open_at(const StoragePath *at, StorageFile *file)
{
	StorageStatus status;
	int error = storage_status_at(at, &status);
	if (error == -ENOENT && file->mode & STORAGE_EMPTY)
		return create(at, file);
	if (error)
		return error;
	return status.isDirectory ? -EISDIR : open_existing(at, file);
}

int storage_open(StorageVolume volume, const char *path, int mode, StorageFile **result)
{
	StoragePath at;
	int error = storage_path_open(storage_volume_root(volume), path, &at);
	if (error)
		return error;
	StorageFile *file = malloc(sizeof(StorageFile));
	if (file) {
		*file = (StorageFile){ -1, mode, volume };
		error = open_at(&at, file);
	}
	else
		error = -ENOMEM;
	storage_path_close(&at);
	if (error)
		storage_close(file);
	else
		*result = file;
	return error;
}

void storage_close(StorageFile *file)
{
	if (file && file->fd >= 0)
		close(file->fd);
	free(file);
}

ssize_t storage_read(StorageFile *file, void *into, size_t length, int64_t position)
{
	if (!(file->mode & STORAGE_READ))
		return -EBADF;
	return storage_read_from(file->fd, into, length, position);
}

static int write_all(int fd, const uint8_t *bytes, size_t length, int64_t position)
{
	while (length > 0) {
		ssize_t count = pwrite(fd, bytes, length, position);
		if (count < 0 && errno != EINTR)
			return -errno;
		if (count > 0) {
			bytes += count;
			length -= count;
			position += count;
		}
	}
	return 0;
}

/*
 * Checks that the file is writable and that the new size fits the volume.
 * @returns 0 or minus an errno
 */
static int check_size(StorageFile *file, int64_t oldSize, int64_t size)
{
	if (!(file->mode & STORAGE_WRITE))
		return -EBADF;
	return storage_has_room(file->volume, storage_blocks_for(size) - storage_blocks_for(oldSize)) ? 0 : -ENOSPC;
}

int storage_write(StorageFile *file, const void *bytes, size_t length, int64_t position)
{
	int64_t oldSize = storage_size(file), end = position + (int64_t)length;
	int64_t size = end > oldSize && length > 0 ? end : oldSize;
	int error = check_size(file, oldSize, size);
	if (error || length == 0)
		return error;
	power_note_change(file->fd, position, length);
	if (power_fails()) {
		write_all(file->fd, bytes, power_torn_length(length), position);
		power_cut();
	}
	error = write_all(file->fd, bytes, length, position);
	if (error)
		(void)!ftruncate(file->fd, oldSize);
	else
		storage_add_blocks(file->volume, storage_blocks_for(size) - storage_blocks_for(oldSize));
	return error;
}

int storage_set_size(StorageFile *file, int64_t size)
{
	int64_t oldSize = storage_size(file);
	int error = check_size(file, oldSize, size);
	if (error)
		return error;
	power_note_change(file->fd, size, oldSize > size ? oldSize - size : 0);
	if (power_fails())
		power_cut();
	if (ftruncate(file->fd, size) != 0)
		return -errno;
	storage_add_blocks(file->volume, storage_blocks_for(size) - storage_blocks_for(oldSize));
	return 0;
}

int storage_flush(StorageFile *file)
{
	if (power_fails())
		power_cut();
	power_note_flush(file->fd);
	return 0;
}

int64_t storage_size(StorageFile *file)
{
	struct stat status;
	return fstat(file->fd, &status) == 0 ? status.st_size : -errno;
}
