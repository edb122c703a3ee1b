/*
 * The SD card, on the bus of the display, for svc/drives (../../posix/native/storage/drive.h). There is no USB drive:
 * on its USB port the console is the device. There is no card detection, so each use probes the card; if it does not
 * respond, it is gone, and so are the files opened on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "board-bus.h"
#include "drive.h"
#include "driver/sdspi_host.h"
#include "esp_vfs_fat.h"
#include "pin-map.h"
#include "sdmmc_cmd.h"
#include "utf8.h"

/* Files that installs read at the same time, and one for listing. */
enum { OPEN_FILES = 4, PATH_BYTES = 600 };

static const char ROOT[] = "/sd";
static sdmmc_card_t *card;		/* NULL if none is mounted */
static int mountings;			/* count of mounts: a card that is inserted again is another drive */

static void unmount(void)
{
	(void)esp_vfs_fat_sdcard_unmount(ROOT, card);
	card = NULL;
}

static void mount(void)
{
	const esp_vfs_fat_mount_config_t options = { .format_if_mount_failed = false, .max_files = OPEN_FILES };
	sdmmc_host_t host = SDSPI_HOST_DEFAULT();
	sdspi_device_config_t slot = SDSPI_DEVICE_CONFIG_DEFAULT();
	host.slot = BOARD_BUS;
	slot.host_id = BOARD_BUS;
	slot.gpio_cs = MODDEF_CARD_SELECT;
	if (board_bus_start() && esp_vfs_fat_sdspi_mount(ROOT, &host, &slot, &options, &card) == ESP_OK)
		mountings++;
	else
		card = NULL;
}

/* @returns whether there is a card, which has the number `mountings` */
static bool probe_card(void)
{
	if (card && sdmmc_get_status(card) != ESP_OK)
		unmount();
	if (!card && MODDEF_CARD_SELECT >= 0)
		mount();
	return card;
}

static bool is_still_there(const Drive *drive)
{
	return card && drive->root == mountings && sdmmc_get_status(card) == ESP_OK;
}

static int open_drive(DriveSlot slot, Drive *drive)
{
	if (slot != DRIVE_SD || !probe_card())
		return -ENODEV;
	*drive = (Drive){ slot, mountings };
	return 0;
}

bool drive_has_slot(DriveSlot slot)
{
	return slot == DRIVE_SD;
}

bool drive_is_present(DriveSlot slot)
{
	return slot == DRIVE_SD && probe_card();
}

/* Requires one slash between names, and neither `.` nor `..`; "" is the drive itself. */
static int path_on_card(const char *path, char full[PATH_BYTES])
{
	for (const char *name = path; *name; ) {
		size_t length = strcspn(name, "/");
		bool isDots = (length == 1 || length == 2) && strncmp(name, "..", length) == 0;
		if (length == 0 || isDots || (name[length] == '/' && name[length + 1] == 0))
			return -EINVAL;
		name += length + (name[length] == '/');
	}
	int length = snprintf(full, PATH_BYTES, *path ? "%s/%s" : "%s%s", ROOT, path);
	return length < PATH_BYTES ? 0 : -ENAMETOOLONG;
}

/* FAT's root directory has no entry, so stat() fails for it. */
static int status_of(const char *full, StorageStatus *status)
{
	struct stat found = { .st_mode = S_IFDIR };
	if (strcmp(full, ROOT) != 0 && stat(full, &found) != 0)
		return -errno;
	bool isDirectory = S_ISDIR(found.st_mode);
	*status = (StorageStatus){ isDirectory ? 0 : found.st_size, isDirectory };
	return 0;
}

int drive_status(DriveSlot slot, const char *path, StorageStatus *status)
{
	Drive drive;
	char full[PATH_BYTES];
	int error = open_drive(slot, &drive);
	if (!error)
		error = path_on_card(path, full);
	return error ? error : status_of(full, status);
}

int drive_open(DriveSlot slot, const char *path, DriveFile *file)
{
	StorageStatus status;
	char full[PATH_BYTES];
	int error = open_drive(slot, &file->drive);
	if (!error)
		error = path_on_card(path, full);
	if (!error)
		error = status_of(full, &status);
	if (error || status.isDirectory)
		return error ? error : -EISDIR;
	file->fd = open(full, O_RDONLY);
	return file->fd < 0 ? -errno : 0;
}

void drive_close(DriveFile *file)
{
	(void)close(file->fd);
}

ssize_t drive_read(const DriveFile *file, void *into, size_t length, int64_t position)
{
	size_t done = 0;
	if (!is_still_there(&file->drive))
		return -ENODEV;
	while (done < length) {
		ssize_t count = pread(file->fd, (uint8_t *)into + done, length - done, (off_t)position + (off_t)done);
		if (count < 0)
			return is_still_there(&file->drive) ? -errno : -ENODEV;
		if (count == 0)
			break;
		done += (size_t)count;
	}
	return (ssize_t)done;
}

int64_t drive_size(const DriveFile *file)
{
	struct stat status;
	if (!is_still_there(&file->drive))
		return -ENODEV;
	return fstat(file->fd, &status) == 0 ? status.st_size : -errno;
}

/* Makes the missing directories on the way to the last name; `full` has it again afterwards. */
static int make_directories(char full[PATH_BYTES])
{
	for (char *slash = full + sizeof(ROOT); (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		const bool isThere = mkdir(full, 0755) == 0 || errno == EEXIST;
		const int error = -errno;
		*slash = '/';
		if (!isThere)
			return error;
	}
	return 0;
}

static int write_all(int fd, const uint8_t *bytes, size_t length, int64_t position)
{
	while (length > 0) {
		const ssize_t count = pwrite(fd, bytes, length, (off_t)position);
		if (count <= 0)
			return count < 0 ? -errno : -ENOSPC;
		bytes += count;
		length -= (size_t)count;
		position += count;
	}
	return fsync(fd) == 0 ? 0 : -errno;
}

static int write_at(const char *full, const void *bytes, size_t length, int64_t position)
{
	struct stat status;
	const int fd = open(full, O_WRONLY | O_CREAT, 0644);
	if (fd < 0)
		return -errno;
	int error = fstat(fd, &status) != 0 ? -errno : 0;
	if (!error && position > status.st_size)
		error = -EINVAL;
	if (!error) {
		error = write_all(fd, bytes, length, position);
		if (error)
			(void)!ftruncate(fd, status.st_size);
	}
	(void)close(fd);
	return error;
}

int drive_write(DriveSlot slot, const char *path, const void *bytes, size_t length, int64_t position)
{
	Drive drive;
	char full[PATH_BYTES];
	int error = open_drive(slot, &drive);
	if (!error)
		error = path_on_card(path, full);
	if (!error)
		error = make_directories(full);
	if (!error)
		error = write_at(full, bytes, length, position);
	return error && !is_still_there(&drive) ? -ENODEV : error;
}

int drive_delete(DriveSlot slot, const char *path)
{
	StorageStatus status;
	char full[PATH_BYTES];
	Drive drive;
	int error = open_drive(slot, &drive);
	if (!error)
		error = path_on_card(path, full);
	if (!error)
		error = status_of(full, &status);
	if (error)
		return error;
	if (status.isDirectory)
		return -EISDIR;
	return unlink(full) == 0 ? 0 : -errno;
}

int drive_scan(DriveSlot slot, const char *path, DriveScan *scan)
{
	char full[PATH_BYTES];
	int error = open_drive(slot, &scan->drive);
	if (!error)
		error = path_on_card(path, full);
	if (error)
		return error;
	scan->list = opendir(full);
	return scan->list ? 0 : -errno;
}

void drive_end_scan(DriveScan *scan)
{
	(void)closedir(scan->list);
}

static bool is_utf8(const char *name)
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
		bool isDots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
		if (isDots || !is_utf8(entry->d_name))
			continue;
		snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
		return 1;
	}
	return 0;
}
