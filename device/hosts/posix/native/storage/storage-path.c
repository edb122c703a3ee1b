/* Walks a path name by name (storage-path.h): a symbolic link on the way does not count as a directory. */
#define _FILE_OFFSET_BITS 64
#include "storage-path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Removes the first name from `*path`, which then points behind the slash, or is NULL after the last name. */
static int take_name(const char **path, char name[NAME_MAX + 1])
{
	const char *slash = strchrnul(*path, '/');
	size_t length = slash - *path;
	if (length > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, *path, length);
	name[length] = 0;
	if (length == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return -EINVAL;
	*path = *slash ? slash + 1 : NULL;
	return 0;
}

/* Closes `directory` and opens the one named in it. */
static int step_into(int directory, const char *name)
{
	int next = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = errno;
	close(directory);
	return next < 0 ? -error : next;
}

int storage_path_open(int root, const char *path, StoragePath *result)
{
	int directory = fcntl(root, F_DUPFD_CLOEXEC, 0);
	if (directory < 0)
		return -errno;
	for (;;) {
		int error = take_name(&path, result->name);
		if (error) {
			close(directory);
			return error;
		}
		if (!path)
			break;
		directory = step_into(directory, result->name);
		if (directory < 0)
			return directory;
	}
	result->directory = directory;
	return 0;
}

void storage_path_close(StoragePath *path)
{
	close(path->directory);
}

int storage_path_open_directory(int root, const char *path)
{
	StoragePath at = { root, "." };
	if (*path) {
		int error = storage_path_open(root, path, &at);
		if (error)
			return error;
	}
	int directory = openat(at.directory, at.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int result = directory < 0 ? -errno : directory;
	if (*path)
		storage_path_close(&at);
	return result;
}
