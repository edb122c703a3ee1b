/* The boot loader's loop (boot.h). */
#include "boot.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot-loop.h"
#include "display-memory.h"
#include "event-loop.h"
#include "linger.h"
#include "machine.h"
#include "natives.h"
#include "options.h"
#include "pins-board.h"
#include "retained.h"

/* A console that crashes this often in this time is not going to recover by itself. */
enum { MAXIMUM_CRASHES = 5 };
static const double CRASH_WINDOW_MS = 10000;

typedef enum { RUNNING, RESTARTED, CRASHED, STOPPED } End;

static jmp_buf abortJump;
static End end;
static const char *resetReason;
static unsigned int bootNumber;
static bool isReady;
static bool isPortTaken;
static uint32_t stateFound;			/* what the last process left in the retained header */
static double startedAt;
static char *image;
static size_t imageByteLength;

const char *boot_reset_reason(void)
{
	return resetReason;
}

unsigned int boot_number(void)
{
	return bootNumber;
}

double boot_uptime_ms(void)
{
	return event_loop_now() - startedAt;
}

void boot_note_ready(void)
{
	isReady = true;
}

void boot_note_port_taken(void)
{
	isPortTaken = true;
}

void boot_request_restart(void)
{
	if (end == RUNNING)
		end = RESTARTED;
}

void boot_request_shutdown(void)
{
	end = STOPPED;
}

/* "Fault: No build option is named …" without the name of its class, which is nothing to its reader. */
static const char *message_of(const char *detail)
{
	const char *colon = strstr(detail, ": ");
	size_t nameLength = colon ? (size_t)(colon - detail) : 0;
	bool isName = nameLength > 0 && strspn(detail, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == nameLength;
	return isName ? colon + 2 : detail;
}

void boot_abort(const char *reason, const char *detail)
{
	bool isRefusal = bootNumber == 1 && !isReady && *detail;		// the program did not like its options
	if (isRefusal) {
		const char *message = message_of(detail);
		fprintf(stderr, "console: %.*s\n", (int)strcspn(message, "\n"), message);
		((RetainedHeader *)retained_map())->state = stateFound;		// a start that never was is no crash
		boot_exit(isPortTaken ? 1 : 2);
	}
	fprintf(stderr, "console: %s%s%s\n", reason, *detail ? ": " : "", detail);
	longjmp(abortJump, 1);
}

const char *boot_find_module(const char *specifier, size_t *byteLength)
{
	size_t ignored;
	if (!byteLength)
		byteLength = &ignored;
	if (strcmp(specifier, "main") == 0) {
		*byteLength = imageByteLength;
		return image;
	}
	for (uint32_t index = 0; index < nativeModuleCount; index++) {
		if (strcmp(specifier, nativeModules[index].specifier) == 0) {
			*byteLength = nativeModules[index].byteLength;
			return nativeModules[index].source;
		}
	}
	return NULL;
}

static void load_image(void)
{
	FILE *file = fopen(options.image, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		fprintf(stderr, "console: cannot read the image \"%s\"\n", options.image);
		boot_exit(1);
	}
	imageByteLength = ftell(file);
	rewind(file);
	free(image);
	image = malloc(imageByteLength + 1);
	if (!image || fread(image, 1, imageByteLength, file) != imageByteLength)
		abort();
	image[imageByteLength] = 0;
	fclose(file);
}

static void run(void)
{
	end = RUNNING;
	bootNumber++;
	startedAt = event_loop_now();
	display_reset();
	pins_reset();
	if (setjmp(abortJump) == 0) {
		load_image();
		machine_open(image);
		machine_run_main();
		while (end == RUNNING)
			event_loop_turn(INFINITY);
	}
	else
		end = CRASHED;
	machine_close();
}

/* Crashes in a row: one that comes late begins a new row. */
static bool is_hopeless(void)
{
	static int crashes;
	static double firstCrashAt;
	double now = event_loop_now();
	if (end != CRASHED || now - firstCrashAt > CRASH_WINDOW_MS)
		crashes = 0;
	if (end != CRASHED)
		return false;
	if (crashes++ == 0)
		firstCrashAt = now;
	return crashes >= MAXIMUM_CRASHES;
}

int boot_loop(void)
{
	RetainedHeader *header = (RetainedHeader *)retained_map();
	stateFound = header->state;
	resetReason = stateFound == RETAINED_RUNNING ? "crash" : "power_on";
	header->state = RETAINED_RUNNING;
	do {
		run();
		if (is_hopeless()) {
			fprintf(stderr, "console: %d crashes in a row, giving up\n", MAXIMUM_CRASHES);
			return 1;
		}
		resetReason = end == CRASHED ? "crash" : "software";
	} while (end != STOPPED);
	linger_drain();
	header->state = RETAINED_STOPPED;
	return 0;
}
