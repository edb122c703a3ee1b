/*
 * The folders of --sd and --usb-drive (drive.h). Paths ignore the case of A to Z, as on the FAT of real drives: an app that writes `A` and
 * `a` has one file on a board.
 */
#define _FILE_OFFSET_BITS 64
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "storage-volume.h"
#include "utf8.h"

static const char *folder_of(DriveSlot slot)
{
	return slot == DRIVE_SD ? options.sd : options.usbDrive;
}

static int open_drive(DriveSlot slot, Drive *drive)
{
	const char *folder = folder_of(slot);
	int root = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	*drive = (Drive){ slot, root };
	return root < 0 ? -ENODEV : 0;
}

static void close_drive(const Drive *drive)
{
	close(drive->root);
}

static bool is_unchanged(const Drive *drive)
{
	struct stat now, then;
	return stat(folder_of(drive->slot), &now) == 0 && fstat(drive->root, &then) == 0
		&& now.st_dev == then.st_dev && now.st_ino == then.st_ino;
}

/* A folder may come and go, or be left out of the command line, as a card is. */
bool drive_has_slot(DriveSlot slot)
{
	return slot < DRIVES;
}

bool drive_is_present(DriveSlot slot)
{
	Drive drive;
	if (open_drive(slot, &drive) != 0)
		return false;
	close_drive(&drive);
	return true;
}

/* The entry of a folder whose name differs from `name` in case only, of the same length. */
static bool find_spelling(int root, const char *folder, char *name)
{
	DIR *list;
	StoragePath at;
	StorageStatus status;
	bool found = false;
	if (storage_open_list(root, folder, &list) != 0)
		return false;
	while (!found && storage_next_entry(list, &at, &status))
		found = strcasecmp(at.name, name) == 0;
	if (found)
		memcpy(name, at.name, strlen(name));
	closedir(list);
	return found;
}

/* The path as the folder spells it, in `spelled`. What does not exist stays as it is. */
static const char *spelling_of(int root, const char *path, char spelled[PATH_MAX])
{
	StorageStatus status;
	char folder[PATH_MAX] = "";
	size_t length = strlen(path);
	if (length >= PATH_MAX)
		return path;
	memcpy(spelled, path, length + 1);
	for (size_t start = 0, end; start < length; start = end + 1) {
		end = start + strcspn(spelled + start, "/");
		spelled[end] = 0;
		if (storage_status_below(root, spelled, &status) != 0 && !find_spelling(root, folder, spelled + start))
			end = length;
		memcpy(folder, spelled, strlen(spelled) + 1);
		if (strlen(spelled) < length)
			spelled[strlen(spelled)] = '/';
	}
	return spelled;
}

int drive_status(DriveSlot slot, const char *path, StorageStatus *status)
{
	Drive drive;
	int error = open_drive(slot, &drive);
	if (error)
		return error;
	char spelled[PATH_MAX];
	error = storage_status_below(drive.root, spelling_of(drive.root, path, spelled), status);
	close_drive(&drive);
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
	int error = open_drive(slot, &file->drive);
	if (error)
		return error;
	char spelled[PATH_MAX];
	file->fd = open_file(file->drive.root, spelling_of(file->drive.root, path, spelled));
	if (file->fd >= 0)
		return 0;
	close_drive(&file->drive);
	return file->fd;
}

void drive_close(DriveFile *file)
{
	close(file->fd);
	close_drive(&file->drive);
}

ssize_t drive_read(const DriveFile *file, void *into, size_t length, int64_t position)
{
	if (!is_unchanged(&file->drive))
		return -ENODEV;
	return storage_read_from(file->fd, into, length, position);
}

int64_t drive_size(const DriveFile *file)
{
	struct stat status;
	if (!is_unchanged(&file->drive))
		return -ENODEV;
	return fstat(file->fd, &status) == 0 ? status.st_size : -errno;
}

/* Makes the missing directories on the way to the last name. Links on it do not count as directories. */
static int make_directories(int root, const char *path)
{
	char parent[PATH_MAX];
	int error = strlen(path) < sizeof(parent) ? 0 : -ENAMETOOLONG;
	for (const char *slash = path; !error && (slash = strchr(slash, '/')); slash++) {
		StoragePath at;
		memcpy(parent, path, (size_t)(slash - path));
		parent[slash - path] = 0;
		error = storage_path_open(root, parent, &at);
		if (error)
			break;
		if (mkdirat(at.directory, at.name, 0755) != 0 && errno != EEXIST)
			error = -errno;
		storage_path_close(&at);
	}
	return error;
}

static int write_all(int fd, const uint8_t *bytes, size_t length, int64_t position)
{
	while (length > 0) {
		const ssize_t count = pwrite(fd, bytes, length, position);
		if (count < 0 && errno != EINTR)
			return -errno;
		if (count > 0) {
			bytes += count;
			length -= (size_t)count;
			position += count;
		}
	}
	return fsync(fd) == 0 ? 0 : -errno;
}

static int write_at(const StoragePath *at, const void *bytes, size_t length, int64_t position)
{
	struct stat status;
	const int fd = openat(at->directory, at->name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	int error = fstat(fd, &status) != 0 ? -errno : 0;
	if (!error && (!S_ISREG(status.st_mode) || position > status.st_size))
		error = -EINVAL;
	if (!error) {
		error = write_all(fd, bytes, length, position);
		if (error)
			(void)!ftruncate(fd, status.st_size);
	}
	close(fd);
	return error;
}

int drive_write(DriveSlot slot, const char *path, const void *bytes, size_t length, int64_t position)
{
	Drive drive;
	StoragePath at;
	int error = slot == DRIVE_SD ? open_drive(slot, &drive) : -EROFS;
	if (error)
		return error;
	char spelled[PATH_MAX];
	path = spelling_of(drive.root, path, spelled);
	error = make_directories(drive.root, path);
	if (!error)
		error = storage_path_open(drive.root, path, &at);
	if (!error) {
		error = write_at(&at, bytes, length, position);
		storage_path_close(&at);
	}
	close_drive(&drive);
	return error;
}

int drive_delete(DriveSlot slot, const char *path)
{
	Drive drive;
	StoragePath at;
	StorageStatus status;
	int error = slot == DRIVE_SD ? open_drive(slot, &drive) : -EROFS;
	if (error)
		return error;
	char spelled[PATH_MAX];
	error = storage_path_open(drive.root, spelling_of(drive.root, path, spelled), &at);
	if (!error) {
		error = storage_status_at(&at, &status);
		if (!error && status.isDirectory)
			error = -EISDIR;
		if (!error && unlinkat(at.directory, at.name, 0) != 0)
			error = -errno;
		storage_path_close(&at);
	}
	close_drive(&drive);
	return error;
}

int drive_scan(DriveSlot slot, const char *path, DriveScan *scan)
{
	int error = open_drive(slot, &scan->drive);
	if (error)
		return error;
	char spelled[PATH_MAX];
	error = storage_open_list(scan->drive.root, spelling_of(scan->drive.root, path, spelled), &scan->list);
	if (error)
		close_drive(&scan->drive);
	return error;
}

void drive_end_scan(DriveScan *scan)
{
	closedir(scan->list);
	close_drive(&scan->drive);
}

static bool is_utf8(const char *name)
{
	const uint8_t *bytes = (const uint8_t *)name;
	size_t length = strlen(name);
	return utf8_well_formed_run(bytes, bytes + length) == length;
}

int drive_next_name(const DriveScan *scan, char name[NAME_MAX + 1])
{
	if (!is_unchanged(&scan->drive))
		return -ENODEV;
	StoragePath at;
	StorageStatus status;
	while (storage_next_entry(scan->list, &at, &status)) {
		if (is_utf8(at.name)) {
			memcpy(name, at.name, sizeof(at.name));
			return 1;
		}
	}
	return 0;
}
