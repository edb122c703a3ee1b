/* Shared by operations on files, on names and on drives: volumes, the account of their blocks, reading, listing. */
#ifndef SVC_STORAGE_VOLUME_H
#define SVC_STORAGE_VOLUME_H

#include <dirent.h>

#include "storage-path.h"
#include "storage.h"

/* The volume's directory, which is created if it is missing. Exits with status 1 on failure. */
int storage_volume_root(StorageVolume volume);

/*
 * Status of a file or a directory. For anything else, such as a link or a device, -ENOENT.
 * @returns 0 or minus an errno
 */
int storage_status_at(const StoragePath *at, StorageStatus *status);
int storage_status_below(int root, const char *path, StorageStatus *status);

/* @returns bytes read, fewer than `length` at the end of the file only; minus an errno on failure */
ssize_t storage_read_from(int fd, void *into, size_t length, int64_t position);

/* Opens a directory for storage_next_entry. @returns 0 or minus an errno */
int storage_open_list(int root, const char *path, DIR **list);

/* The next file or directory in the list. @returns false after the last one */
bool storage_next_entry(DIR *list, StoragePath *at, StorageStatus *status);

/* Calls back for each file and directory in the directory at `path`. @returns 0 or minus an errno */
int storage_visit(int root, const char *path, StorageVisitor visit, void *context);

int64_t storage_blocks_for(int64_t size);
int64_t storage_blocks_of(const StorageStatus *status);

/* Whether the volume has room for this many more blocks; `blocks` may be negative. */
bool storage_has_room(StorageVolume volume, int64_t blocks);
void storage_add_blocks(StorageVolume volume, int64_t blocks);

#endif
