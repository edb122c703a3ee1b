/*
 * The only access to the console's persistent storage: files, settings and firmware go through these functions, so
 * that every change is counted, can be interrupted by a power cut (power.h), and stays inside the state directory.
 * Unless stated otherwise, functions return 0; on failure, minus an errno, and nothing has changed.
 *
 * Paths are relative to the volume, with one slash between names; `.`, `..`, empty names and symbolic links are
 * refused. The medium is the host's page cache: a console that is killed loses nothing; only simulated power cuts lose
 * data.
 */
#ifndef SVC_STORAGE_H
#define SVC_STORAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "storage-path.h"

typedef enum {
	STORAGE_FILES,		/* DIR/lfs: the file system, of limited size */
	STORAGE_SETTINGS,	/* DIR/kv: the partition of key-value pairs */
	STORAGE_SLOTS,		/* DIR/slots: the firmware slots and the boot record (slot.h) */
	STORAGE_VOLUMES
} StorageVolume;

/*
 * Space is counted as in littlefs: whole blocks for the content of a file, two blocks for a directory. The spare
 * blocks that littlefs needs to rewrite a file are not simulated.
 */
enum {
	STORAGE_BLOCK_BYTES = 4096,
	STORAGE_BLOCKS = 1024,				/* 4 MiB: the board's file system partition */
	STORAGE_DIRECTORY_BLOCKS = 2,
};

typedef enum { STORAGE_READ = 1, STORAGE_WRITE = 2, STORAGE_EMPTY = 4 } StorageMode;

typedef struct StorageFile StorageFile;

typedef struct {
	int64_t size;			/* bytes; 0 for a directory */
	bool isDirectory;
} StorageStatus;

/* With STORAGE_EMPTY, creates or truncates the file; otherwise the file must exist. */
int storage_open(StorageVolume volume, const char *path, int mode, StorageFile **file);
void storage_close(StorageFile *file);

/* @returns bytes read, fewer than `length` at the end of the file only */
ssize_t storage_read(StorageFile *file, void *into, size_t length, int64_t position);
/* Writes all bytes and fills a gap before `position` with zeros. -ENOSPC if they do not fit the volume. */
int storage_write(StorageFile *file, const void *bytes, size_t length, int64_t position);
int storage_set_size(StorageFile *file, int64_t size);
int storage_flush(StorageFile *file);
int64_t storage_size(StorageFile *file);

int storage_status(StorageVolume volume, const char *path, StorageStatus *status);
/* Atomic; replaces a file at `to`. */
int storage_rename(StorageVolume volume, const char *from, const char *to);
/* -ENOTEMPTY for a directory that is not empty. */
int storage_delete(StorageVolume volume, const char *path);
/* -EEXIST if the name exists. */
int storage_make_directory(StorageVolume volume, const char *path);

/* Calls back for each file and directory in `path`; "" is the volume itself. */
typedef void (*StorageVisitor)(const StoragePath *at, const StorageStatus *status, void *context);
int storage_list(StorageVolume volume, const char *path, StorageVisitor visit, void *context);

/* Of the file system, in bytes. */
void storage_capacity(int64_t *total, int64_t *free);

#endif
