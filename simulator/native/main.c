/* The simulated console: one process that is, from power on to power off, one board. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "boot-loop.h"
#include "event-loop.h"
#include "mac-address.h"
#include "options.h"
#include "signals.h"
#include "system.h"
#include "usb-port.h"

/* Two consoles on one flash would ruin it. The lock goes with the process, however that ends. */
static void lock_state(void)
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

void boot_exit(int status)
{
	usb_port_close();
	exit(status);
}

int main(int argc, char *argv[])
{
	argv[0] = "console";		// in the messages of getopt
	umask(077);					// what it keeps, a token among it, is its owner's
	options_parse(argc, argv);
	lock_state();
	if (!options.mac)
		options.mac = mac_address();
	event_loop_open();
	signals_open(system_shut_down, system_print_heap);
	usb_port_open();
	boot_exit(boot_loop());
}
