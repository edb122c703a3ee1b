/* Lines of text (tell.h). */
#include "tell.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

void scene(const char *name)
{
	fprintf(stderr, "# %s\n", name);
}

void tell(const char *what, long result)
{
	if (result < 0)
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
	else
		fprintf(stderr, "%s: %ld\n", what, result);
}

void tell_ready(const char *what, int fd)
{
	struct pollfd asked = { .fd = fd, .events = POLLIN | POLLOUT };
	poll(&asked, 1, 0);
	fprintf(stderr, "%s:%s%s%s%s%s\n", what, asked.revents & POLLIN ? " in" : "", asked.revents & POLLOUT ? " out" : "",
		asked.revents & POLLERR ? " error" : "", asked.revents & POLLHUP ? " hung up" : "",
		asked.revents & POLLNVAL ? " invalid" : "");
}
