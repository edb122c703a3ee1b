/* Opens the air of a simulated radio (air-socket.h). */
#include "air-socket.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"
#include "options.h"

/* @returns -1 with errno set */
static int listen_at(const char *path, int backlog)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	strcpy(address.sun_path, path);
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && chmod(path, 0600) == 0 && listen(fd, backlog) == 0)
		return fd;
	const int error = errno;
	close(fd);
	errno = error;
	return -1;
}

int air_socket_listen(xsMachine *the, const char *name, int backlog, char path[AIR_PATH_BYTES])
{
	const char *full = options_state_path(name);
	if (strlen(full) >= AIR_PATH_BYTES)
		xsUnknownError("\"%s\" is too long for the path of a socket", full);
	strcpy(path, full);
	const int fd = listen_at(path, backlog);
	if (fd < 0)
		xsUnknownError("cannot listen at \"%s\": %s", path, strerror(errno));
	return fd;
}
