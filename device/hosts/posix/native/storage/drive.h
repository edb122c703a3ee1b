/*
 * Drives: folders of the host that the console may read, and nothing else. They are no part of its storage:
 * nothing is counted, and nothing can be written.
 *
 * A drive is looked for whenever it is used, since the folder may be moved away, replaced or mounted over
 * while the console runs. What was opened on a drive is of no use once that drive is gone, even where
 * another one has taken its place. Paths and what they lead to are as in storage-path.h: links are refused.
 */
#ifndef SVC_DRIVE_H
#define SVC_DRIVE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "storage.h"

/* Numbers that modules/svc/drives.js has too. */
typedef enum { DRIVE_SD, DRIVE_USB, DRIVES } DriveSlot;

/* A drive as it was found. Held open, so that no other folder can pass for it, whatever its number. */
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

/* Functions return 0 or what they say, and minus an errno where they fail; -ENODEV without a drive. */

bool drive_is_present(DriveSlot slot);
int drive_status(DriveSlot slot, const char *path, StorageStatus *status);

int drive_open(DriveSlot slot, const char *path, DriveFile *file);
/* @returns bytes read, fewer than `length` at the end of the file only */
ssize_t drive_read(const DriveFile *file, void *into, size_t length, int64_t position);
int64_t drive_size(const DriveFile *file);
void drive_close(DriveFile *file);

/* "" is the drive itself. */
int drive_scan(DriveSlot slot, const char *path, DriveScan *scan);
/* @returns 1 with the next name, 0 after the last. Names that are no UTF-8 cannot be said, and are left out. */
int drive_next_name(const DriveScan *scan, char name[NAME_MAX + 1]);
void drive_end_scan(DriveScan *scan);

#endif
