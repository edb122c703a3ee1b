/* The command line (docs/spec/simulated-console.md#flags), parsed once, valid until the process ends. */
#ifndef SVC_OPTIONS_H
#define SVC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { MAXIMUM_CONFIG_OPTIONS = 64, MAXIMUM_PATH_BYTES = 4096 };

typedef struct {
	const char *image;		/* firmware to flash before power on; NULL: keep the slots */
	const char *state;		/* directory of everything that survives the process */
	const char *usb;		/* link to the pseudo-terminal */
	const char *mac;
	const char *address;	/* NULL: all addresses */
	const char *sd;
	const char *usbDrive;
	const char *sound;		/* WAV file of what is played; NULL: none */
	const char *hub;
	const char *windowProgram;		/* shows display and buttons; NULL: no window */
	const char *logLevel;
	int httpPort;
	int wsPort;
	int setupHttpPort;		/* of the set-up access point */
	int setupDnsPort;
	bool mdns;
	const char *config[MAXIMUM_CONFIG_OPTIONS];		/* NAME=VALUE */
	int configCount;
} Options;

extern Options options;

/*
 * The command that starts a console of this host, without flags, and its default state directory. Each host defines
 * its own.
 */
extern const char options_command[];
extern const char options_default_state[];

/* Exits with status 2 and the usage on standard error if the command line is wrong. */
void options_parse(int argc, char *argv[]);

/* The ports that the program listens on: they become its ports from now on, after a reset, too (resume.h). */
void options_set_ports(int httpPort, int wsPort);

/* Path of `name` in the state directory. The buffer is static; the next call overwrites it. */
const char *options_state_path(const char *name);

#endif
