/* The simulated console: one process that is, from power on to power off, one board. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot-loop.h"
#include "event-loop.h"
#include "mac-address.h"
#include "options.h"
#include "power.h"
#include "programmer.h"
#include "resume.h"
#include "signals.h"
#include "system.h"
#include "usb-port.h"
#include "watchdog.h"

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

/* A program that was asked to end before it hung is ended by force (signals.h). */
static void reset(double turnBeganAt)
{
	static const char message[] = "console: the watchdog resets it: the program does not come back\n";
	if (signals_are_terminating())
		return;
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
	(void)ignored;
	boot_note_watchdog(turnBeganAt);
	resume_restart();
}

int main(int argc, char *argv[])
{
	argv[0] = "console";		// in the messages of getopt
	resume_open(argv);
	umask(077);					// what it keeps, a token among it, is its owner's
	options_parse(argc, argv);
	power_open();
	lock_state();
	if (options.image && resume.bootNumber == 0)
		programmer_flash(options.image);
	if (!options.mac)
		options.mac = mac_address();
	event_loop_open();
	signals_open(system_shut_down, system_print_heap);
	usb_port_open();
	watchdog_open(reset);
	boot_exit(boot_loop());
}
