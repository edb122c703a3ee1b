/* One run of one program, from power on to power off (boot.h). There is no other firmware. */
#include "boot.h"

#include <stdio.h>

#include "board.h"
#include "clock.h"
#include "crash-loop.h"
#include "options.h"
#include "ready-line.h"
#include "ready.h"
#include "taken-port.h"
#include "watchdog.h"

/* Defaults: the console has no command line. */
Options options = {
	.mac = "02:00:00:00:00:32",
	.httpPort = 8080,
	.wsPort = 8081,
	.mdns = true,
};

static bool isReady;

bool is_ready(void)
{
	return isReady;
}

const char *boot_board(void)
{
	return "rv32";
}

const char *boot_reset_reason(void)
{
	return "power_on";
}

Slot boot_slot(void)
{
	return SLOT_A;
}

unsigned int boot_number(void)
{
	return 1;
}

double boot_uptime_ms(void)
{
	return clock_now() * 1e-6;
}

void boot_abort(const char *reason, const char *detail)
{
	fprintf(stderr, "console: %s%s%s\n", reason, *detail ? ": " : "", detail);
	board_power_off(1);
}

void boot_request_restart(void)
{
	boot_abort("the program restarts", "");
}

void boot_request_shutdown(void)
{
	board_power_off(0);
}

/* crash-loop.h */
bool crash_loop_is_safe_mode(void)
{
	return false;
}

void boot_note_port_taken(void)
{
}

void options_set_ports(int httpPort, int wsPort)
{
	options.httpPort = httpPort;
	options.wsPort = wsPort;
}

void ready_line_print(const char *name)
{
	(void)name;
	isReady = true;
}

/* Time is counted in instructions: a program that hangs is a run that does not end. */
void watchdog_feed(double now)
{
	(void)now;
}
