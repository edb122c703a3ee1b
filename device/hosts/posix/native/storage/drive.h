/*
 * Drives: folders of the host, of which the console writes to the SD card alone. They are not part of its storage: their
 * operations are not counted.
 *
 * Each use looks for the drive again, since the folder may be moved, replaced or mounted over while the console runs. A
 * file or list that was opened on a drive fails once that drive is gone, even if another drive has taken its place.
 * Paths are resolved as in storage-path.h: links are refused.
 */
#ifndef SVC_DRIVE_H
#define SVC_DRIVE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "storage.h"

/* modules/svc/drives.js has the same numbers. */
typedef enum { DRIVE_SD, DRIVE_USB, DRIVES } DriveSlot;

/* A drive as it was opened. Its folder stays open, so that its inode number is not given to another folder. */
typedef struct {
	DriveSlot slot;
	int root;
} Drive;

typedef struct {
	Drive drive;
	int fd;
} DriveFile;

typedef struct {
	Drive drive;
	DIR *list;
} DriveScan;

/* Whether this hardware can have that drive. */
bool drive_has_slot(DriveSlot slot);

/* Unless stated otherwise, functions return 0; on failure, minus an errno, which is -ENODEV without a drive. */

bool drive_is_present(DriveSlot slot);
int drive_status(DriveSlot slot, const char *path, StorageStatus *status);

int drive_open(DriveSlot slot, const char *path, DriveFile *file);
/* @returns bytes read, fewer than `length` at the end of the file only */
ssize_t drive_read(const DriveFile *file, void *into, size_t length, int64_t position);
int64_t drive_size(const DriveFile *file);
void drive_close(DriveFile *file);

/*
 * Writes all bytes from `position` on, at most the size of the file, and flushes them; creates the file and its directories
 * if they are missing. If that fails, the file has its old size. -EROFS but for the SD card.
 */
int drive_write(DriveSlot slot, const char *path, const void *bytes, size_t length, int64_t position);
/* -ENOENT if there is no file of that name, -EISDIR for a directory. */
int drive_delete(DriveSlot slot, const char *path);

/* "" is the drive itself. */
int drive_scan(DriveSlot slot, const char *path, DriveScan *scan);
/* @returns 1 with the next name, 0 after the last one. Skips names that are not UTF-8: XS has no strings for them. */
int drive_next_name(const DriveScan *scan, char name[NAME_MAX + 1]);
void drive_end_scan(DriveScan *scan);

#endif
