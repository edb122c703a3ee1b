/*
 * setup/boot: the counterpart of main() in a process of its own. The command line is in an environment variable, since
 * argv belongs to the simulator.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "boot-life.h"
#include "boot-record.h"
#include "boot.h"
#include "device-secret.h"
#include "display-memory.h"
#include "engine.h"
#include "glib-loop.h"
#include "library.h"
#include "mac-address.h"
#include "machine.h"
#include "options.h"
#include "own-image.h"
#include "power.h"
#include "programmer.h"
#include "resume.h"
#include "signals.h"
#include "sound-output.h"
#include "state-lock.h"
#include "system.h"
#include "usb-port.h"
#include "watchdog.h"

#define FLAGS_VARIABLE "SVC_MODDABLE_FLAGS"

const char options_command[] = "npm run moddable -- sim --deploy --";
const char options_default_state[] = ".console-moddable";

/* Splits the flags as a shell would. They stay allocated, since the options point to them. */
static void parse_flags(void)
{
	const char *flags = getenv(FLAGS_VARIABLE);
	char *line = g_strconcat("console ", flags, NULL);
	char **words;
	int count;
	if (!g_shell_parse_argv(line, &count, &words, NULL)) {
		fprintf(stderr, "console: cannot parse %s: a quote is missing\n", FLAGS_VARIABLE);
		exit(2);
	}
	g_free(line);
	options_parse(count, words);
}

static bool has_ever_been_flashed(void)
{
	static const uint8_t never[SHA256_BYTES];
	const BootRecord record = boot_record_load();
	return memcmp(record.flashed, never, sizeof(never)) != 0;
}

/* A new console has the firmware that it was built with. */
static void flash(const char *version)
{
	if (options.image)
		programmer_flash_file(options.image);
	else if (!has_ever_been_flashed()) {
		FirmwareImage image = own_image(version);
		programmer_flash(&image, "the library");
		firmware_image_free(&image);
	}
}

/* begin(version): the version of this firmware. Does not return if other firmware is to run. */
void xs_boot_begin(xsMachine *the)
{
	const char *version = xsmcToString(xsArg(0));
	library_open();
	umask(077);					// files, such as the token, are readable by their owner alone
	parse_flags();
	display_reset();
	power_open();
	state_lock();
	sound_output_start(options.sound, resume.bootNumber > 0);
	device_secret_open();
	if (resume.bootNumber == 0)
		flash(version);
	boot_begin();
	if (!options.mac)
		options.mac = mac_address();
	machine = the;
	engine_open(the, boot_abort);
	glib_loop_open(boot_check_end);
	signals_open(system_shut_down, system_print_heap);
	usb_port_open();
	watchdog_open(boot_end_hung_run);
}

/* limitTrial(seconds) */
void xs_boot_limit_trial(xsMachine *the)
{
	boot_limit_trial(xsmcToNumber(xsArg(0)));
}
