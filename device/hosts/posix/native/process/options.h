/* The command line (docs/spec/simulated-console.md#flags), parsed once, valid until the process ends. */
#ifndef SVC_OPTIONS_H
#define SVC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { MAXIMUM_CONFIG_OPTIONS = 64, MAXIMUM_PATH_BYTES = 4096 };

typedef struct {
	const char *image;		/* firmware to be flashed before power on; NULL: what is in the slots will do */
	const char *state;		/* directory of everything that outlives the process */
	const char *usb;		/* link to the pseudo-terminal */
	const char *mac;
	const char *address;	/* NULL: every address */
	const char *sd;
	const char *usbDrive;
	const char *hub;
	const char *logLevel;
	int httpPort;
	int wsPort;
	bool mdns;
	const char *config[MAXIMUM_CONFIG_OPTIONS];		/* NAME=VALUE */
	int configCount;
} Options;

extern Options options;

/* What starts a console of this host, up to its flags, and where it keeps its state unless they say. Each host's own. */
extern const char options_command[];
extern const char options_default_state[];

/* Exits with status 2 and the usage on standard error where the command line is wrong. */
void options_parse(int argc, char *argv[]);

/* What the program listens on: its ports from now on, after a reset too (resume.h). */
void options_set_ports(int httpPort, int wsPort);

/* Path of `name` in the state directory. The buffer is static and belongs to the next call. */
const char *options_state_path(const char *name);

#endif
