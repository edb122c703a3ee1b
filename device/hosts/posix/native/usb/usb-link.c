/* symlink, then rename over the old one (usb-link.h). */
#include "usb-link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

void usb_link_make(const char *path, const char *target)
{
	char temporary[MAXIMUM_PATH_BYTES + 8];
	struct stat status;
	if (lstat(path, &status) == 0 && !S_ISLNK(status.st_mode)) {
		fprintf(stderr, "console: \"%s\" is there and no symbolic link; not touching it\n", path);
		exit(1);
	}
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	unlink(temporary);
	if (symlink(target, temporary) != 0 || rename(temporary, path) != 0) {
		fprintf(stderr, "console: cannot make the link \"%s\": %s\n", path, strerror(errno));
		exit(1);
	}
}

void usb_link_remove(const char *path, const char *target)
{
	char found[MAXIMUM_PATH_BYTES];
	ssize_t length = readlink(path, found, sizeof(found) - 1);
	if (length < 0)
		return;
	found[length] = 0;
	if (strcmp(found, target) == 0)
		unlink(path);
}
