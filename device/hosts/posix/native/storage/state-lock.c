/* flock() on a separate file (state-lock.h). */
#include "state-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "options.h"

void state_lock(void)
{
	if (mkdir(options.state, 0755) != 0 && errno != EEXIST) {
		fprintf(stderr, "console: cannot make \"%s\": %s\n", options.state, strerror(errno));
		exit(1);
	}
	int fd = open(options_state_path("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return;
	if (fd >= 0 && errno == EWOULDBLOCK)
		fprintf(stderr, "console: another console is running on \"%s\"\n", options.state);
	else
		fprintf(stderr, "console: cannot use \"%s\": %s\n", options.state, strerror(errno));
	exit(1);
}
