/*
 * Operations on files (device/hosts/posix/native/storage/storage.h): names are in memory (storage-tree.h), contents in
 * files of the host (storage-contents.h). Power never fails here, so a change is safe immediately.
 */
#include <errno.h>
#include <stdlib.h>

#include "storage-contents.h"
#include "storage-space.h"
#include "storage-tree.h"
#include "storage.h"

struct StorageFile {
	StorageNode *node;
	StorageVolume volume;
	int mode;
	int handle;
};

static int create(const StoragePlace *place, StorageFile *file)
{
	StorageNode *node = storage_tree_add(place, false);
	if (!node)
		return -ENOSPC;
	file->handle = storage_contents_create(storage_tree_number(node));
	if (file->handle < 0)
		storage_tree_remove(node);
	else
		file->node = node;
	return file->handle < 0 ? file->handle : 0;
}

static int open_existing(StorageNode *node, StorageFile *file)
{
	file->handle = storage_contents_open(storage_tree_number(node));
	if (file->handle < 0)
		return file->handle;
	file->node = node;
	int error = file->mode & STORAGE_EMPTY && node->size > 0 ? storage_set_size(file, 0) : 0;
	if (error)
		storage_contents_close(file->handle);
	return error;
}

static int open_at(const StoragePlace *place, StorageFile *file)
{
	if (!place->node)
		return file->mode & STORAGE_EMPTY ? create(place, file) : -ENOENT;
	return place->node->isDirectory ? -EISDIR : open_existing(place->node, file);
}

int storage_open(StorageVolume volume, const char *path, int mode, StorageFile **result)
{
	StoragePlace place;
	int error = storage_tree_find(volume, path, &place);
	if (error)
		return error;
	StorageFile *file = malloc(sizeof(StorageFile));
	if (!file)
		return -ENOMEM;
	*file = (StorageFile){ .volume = volume, .mode = mode };
	error = open_at(&place, file);
	if (error) {
		free(file);
		return error;
	}
	file->node->openings++;
	*result = file;
	return 0;
}

void storage_close(StorageFile *file)
{
	if (!file)
		return;
	storage_contents_close(file->handle);
	file->node->openings--;
	storage_free_unused(file->volume, file->node);
	free(file);
}

ssize_t storage_read(StorageFile *file, void *into, size_t length, int64_t position)
{
	if (!(file->mode & STORAGE_READ))
		return -EBADF;
	int64_t left = file->node->size - position;
	if (left <= 0)
		return 0;
	if (left < (int64_t)length)
		length = left;
	int error = storage_contents_read(file->handle, into, length, position);
	return error ? error : (ssize_t)length;
}

/*
 * Checks that the file is writable and that the new size fits the volume.
 * @returns 0 or minus an errno
 */
static int check_size(const StorageFile *file, int64_t size)
{
	if (!(file->mode & STORAGE_WRITE))
		return -EBADF;
	if (!storage_has_room(file->volume, storage_blocks_for(size) - storage_blocks_of(file->node)))
		return -ENOSPC;
	return size > STORAGE_CONTENTS_LIMIT ? -EFBIG : 0;
}

static void note_size(StorageFile *file, int64_t size)
{
	storage_add_blocks(file->volume, storage_blocks_for(size) - storage_blocks_of(file->node));
	file->node->size = size;
}

int storage_write(StorageFile *file, const void *bytes, size_t length, int64_t position)
{
	int64_t oldSize = file->node->size, end = position + (int64_t)length;
	int64_t size = end > oldSize && length > 0 ? end : oldSize;
	int error = check_size(file, size);
	if (error || length == 0)
		return error;
	error = storage_contents_write(file->handle, bytes, length, position);
	if (error)
		(void)storage_contents_cut(file->handle, oldSize);
	else
		note_size(file, size);
	return error;
}

int storage_set_size(StorageFile *file, int64_t size)
{
	int error = check_size(file, size);
	if (!error && size < file->node->size)
		error = storage_contents_cut(file->handle, size);
	if (!error)
		note_size(file, size);
	return error;
}

int storage_flush(StorageFile *file)
{
	(void)file;
	return 0;
}

int64_t storage_size(StorageFile *file)
{
	return file->node->size;
}
