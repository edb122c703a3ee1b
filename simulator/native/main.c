/* The simulated console: one process simulates one board, from power on to power off. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot-loop.h"
#include "device-secret.h"
#include "display-memory.h"
#include "event-loop.h"
#include "mac-address.h"
#include "options.h"
#include "power.h"
#include "programmer.h"
#include "resume.h"
#include "signals.h"
#include "sound-output.h"
#include "state-lock.h"
#include "system.h"
#include "usb-port.h"
#include "watchdog.h"
#include "window-link.h"

const char options_command[] = "npm start --";
const char options_default_state[] = ".console";

void boot_exit(int status)
{
	usb_port_close();
	exit(status);
}

/* If the process was asked to end before the program hung, it is terminated (signals.h). */
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

/* Before anything else that a start does: what follows may read megabytes. */
static void show_boot_picture(double powerOnAt)
{
	display_reset();
	if (getenv("SVC_SIM_BOOT_FIGURES"))
		fprintf(stderr, "console: first picture after %.2f ms\n", event_loop_now() - powerOnAt);
}

int main(int argc, char *argv[])
{
	const double powerOnAt = event_loop_now();
	argv[0] = "console";		// for the messages of getopt
	resume_open(argv);
	umask(077);					// files, such as the token, are readable by their owner alone
	options_parse(argc, argv);
	show_boot_picture(powerOnAt);
	power_open();
	state_lock();
	window_link_open();
	sound_output_start(options.sound, resume.bootNumber > 0);
	device_secret_open();
	if (options.image && resume.bootNumber == 0)
		programmer_flash_file(options.image);
	if (!options.mac)
		options.mac = mac_address();
	event_loop_open();
	signals_open(system_shut_down, system_print_heap);
	usb_port_open();
	window_link_listen(system_shut_down);
	watchdog_open(reset);
	boot_exit(boot_loop());
}
