/* Looks at the folders of --sd and --usb-drive (drive.h). */
#define _FILE_OFFSET_BITS 64
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "storage-volume.h"
#include "utf8.h"

static const char *folder_of(DriveSlot slot)
{
	return slot == DRIVE_SD ? options.sd : options.usbDrive;
}

static int find(DriveSlot slot, Drive *drive)
{
	const char *folder = folder_of(slot);
	int root = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	*drive = (Drive){ slot, root };
	return root < 0 ? -ENODEV : 0;
}

static void let_go(const Drive *drive)
{
	close(drive->root);
}

static bool is_still_there(const Drive *drive)
{
	struct stat now, then;
	return stat(folder_of(drive->slot), &now) == 0 && fstat(drive->root, &then) == 0
		&& now.st_dev == then.st_dev && now.st_ino == then.st_ino;
}

bool drive_is_present(DriveSlot slot)
{
	Drive drive;
	if (find(slot, &drive) != 0)
		return false;
	let_go(&drive);
	return true;
}

int drive_status(DriveSlot slot, const char *path, StorageStatus *status)
{
	Drive drive;
	StoragePath at;
	int error = find(slot, &drive);
	if (error)
		return error;
	error = storage_path_open(drive.root, path, &at);
	let_go(&drive);
	if (error)
		return error;
	error = storage_status_at(&at, status);
	storage_path_close(&at);
	return error;
}

/* @returns a descriptor or minus an errno */
static int open_file(int root, const char *path)
{
	struct stat status;
	StoragePath at;
	int error = storage_path_open(root, path, &at);
	if (error)
		return error;
	// Opening a pipe would wait for its other end.
	int fd = openat(at.directory, at.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	error = fd < 0 ? -errno : 0;
	storage_path_close(&at);
	if (error || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
		return error ? error : fd;
	close(fd);
	return S_ISDIR(status.st_mode) ? -EISDIR : -ENOENT;
}

int drive_open(DriveSlot slot, const char *path, DriveFile *file)
{
	int error = find(slot, &file->drive);
	if (error)
		return error;
	file->fd = open_file(file->drive.root, path);
	if (file->fd >= 0)
		return 0;
	let_go(&file->drive);
	return file->fd;
}

void drive_close(DriveFile *file)
{
	close(file->fd);
	let_go(&file->drive);
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

/* @returns 0 or minus an errno */
static int open_list(int root, const char *path, DIR **list)
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

int drive_scan(DriveSlot slot, const char *path, DriveScan *scan)
{
	int error = find(slot, &scan->drive);
	if (error)
		return error;
	error = open_list(scan->drive.root, path, &scan->list);
	if (error)
		let_go(&scan->drive);
	return error;
}

void drive_end_scan(DriveScan *scan)
{
	closedir(scan->list);
	let_go(&scan->drive);
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
