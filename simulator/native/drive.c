/* Looks at the folders of --sd and --usb-drive (drive.h). */
#define _FILE_OFFSET_BITS 64
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "storage-volume.h"
#include "utf8.h"

static const char *folder_of(DriveSlot slot)
{
	return slot == DRIVE_SD ? options.sd : options.usbDrive;
}

/* @returns the drive's folder, which is to be closed, or minus an errno */
static int find(DriveSlot slot, Drive *drive)
{
	struct stat status;
	const char *folder = folder_of(slot);
	int root = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (root < 0 || fstat(root, &status) != 0)
		return -ENODEV;
	*drive = (Drive){ slot, status.st_dev, status.st_ino };
	return root;
}

static bool is_still_there(const Drive *drive)
{
	struct stat status;
	const char *folder = folder_of(drive->slot);
	return folder && stat(folder, &status) == 0 && status.st_dev == drive->device && status.st_ino == drive->node;
}

bool drive_is_present(DriveSlot slot)
{
	Drive drive;
	int root = find(slot, &drive);
	if (root >= 0)
		close(root);
	return root >= 0;
}

/* Where `path` leads on the drive. */
static int find_path(DriveSlot slot, const char *path, Drive *drive, StoragePath *at)
{
	int root = find(slot, drive);
	if (root < 0)
		return root;
	int error = storage_path_open(root, path, at);
	close(root);
	return error;
}

int drive_status(DriveSlot slot, const char *path, StorageStatus *status)
{
	Drive drive;
	StoragePath at;
	int error = find_path(slot, path, &drive, &at);
	if (error)
		return error;
	error = storage_status_at(&at, status);
	storage_path_close(&at);
	return error;
}

/* @returns a descriptor or minus an errno */
static int open_file(const StoragePath *at)
{
	struct stat status;
	// Opening a pipe would wait for its other end.
	int fd = openat(at->directory, at->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return S_ISDIR(status.st_mode) ? -EISDIR : -ENOENT;
}

int drive_open(DriveSlot slot, const char *path, DriveFile *file)
{
	StoragePath at;
	int error = find_path(slot, path, &file->drive, &at);
	if (error)
		return error;
	file->fd = open_file(&at);
	storage_path_close(&at);
	return file->fd < 0 ? file->fd : 0;
}

ssize_t drive_read(const DriveFile *file, void *into, size_t length, int64_t position)
{
	size_t done = 0;
	if (!is_still_there(&file->drive))
		return -ENODEV;
	while (done < length) {
		ssize_t count = pread(file->fd, (uint8_t *)into + done, length - done, position + done);
		if (count < 0 && errno != EINTR)
			return -errno;
		if (count == 0)
			break;
		if (count > 0)
			done += count;
	}
	return done;
}

int64_t drive_size(const DriveFile *file)
{
	struct stat status;
	if (!is_still_there(&file->drive))
		return -ENODEV;
	return fstat(file->fd, &status) == 0 ? status.st_size : -errno;
}

int drive_scan(DriveSlot slot, const char *path, DriveScan *scan)
{
	int root = find(slot, &scan->drive);
	if (root < 0)
		return root;
	int directory = storage_path_open_directory(root, path);
	close(root);
	if (directory < 0)
		return directory;
	scan->list = fdopendir(directory);
	if (scan->list)
		return 0;
	close(directory);
	return -ENOMEM;
}

static bool can_be_said(const char *name)
{
	const uint8_t *bytes = (const uint8_t *)name;
	size_t length = strlen(name);
	return utf8_well_formed_run(bytes, bytes + length) == length;
}

int drive_next_name(const DriveScan *scan, char name[NAME_MAX + 1])
{
	if (!is_still_there(&scan->drive))
		return -ENODEV;
	for (struct dirent *entry; (entry = readdir(scan->list)); ) {
		StoragePath at = { .directory = dirfd(scan->list) };
		StorageStatus status;
		snprintf(at.name, sizeof(at.name), "%s", entry->d_name);
		if (strcmp(at.name, ".") == 0 || strcmp(at.name, "..") == 0 || !can_be_said(at.name))
			continue;
		if (storage_status_at(&at, &status) == 0) {
			memcpy(name, at.name, sizeof(at.name));
			return 1;
		}
	}
	return 0;
}
