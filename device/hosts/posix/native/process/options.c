/* getopt_long over one table (options.h). */
#include "options.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "hub-trust.h"
#include "resume.h"

Options options = { .httpPort = 8080, .wsPort = 8081, .mdns = true };

enum {
	IMAGE = 256, STATE, USB, MAC, ADDRESS, SD, USB_DRIVE, HUB, HUB_CA, LOG_LEVEL, HTTP_PORT, WS_PORT, NO_MDNS, CONFIG,
	SETUP_HTTP_PORT, SETUP_DNS_PORT, SOUND, TRUSTED_KEYS, WINDOW, WINDOW_PROGRAM, CHECK, DIE_WITH_PARENT, HELP,
};

static const struct option table[] = {
	{ "image", required_argument, NULL, IMAGE },
	{ "state", required_argument, NULL, STATE },
	{ "usb", required_argument, NULL, USB },
	{ "mac", required_argument, NULL, MAC },
	{ "address", required_argument, NULL, ADDRESS },
	{ "sd", required_argument, NULL, SD },
	{ "usb-drive", required_argument, NULL, USB_DRIVE },
	{ "sound", required_argument, NULL, SOUND },
	{ "hub", required_argument, NULL, HUB },
	{ "hub-ca", required_argument, NULL, HUB_CA },
	{ "log-level", required_argument, NULL, LOG_LEVEL },
	{ "http-port", required_argument, NULL, HTTP_PORT },
	{ "ws-port", required_argument, NULL, WS_PORT },
	{ "setup-http-port", required_argument, NULL, SETUP_HTTP_PORT },
	{ "setup-dns-port", required_argument, NULL, SETUP_DNS_PORT },
	{ "no-mdns", no_argument, NULL, NO_MDNS },
	{ "config", required_argument, NULL, CONFIG },
	{ "trusted-keys", required_argument, NULL, TRUSTED_KEYS },
	{ "window", no_argument, NULL, WINDOW },
	{ "window-program", required_argument, NULL, WINDOW_PROGRAM },
	{ "check", no_argument, NULL, CHECK },
	{ "die-with-parent", no_argument, NULL, DIE_WITH_PARENT },
	{ "help", no_argument, NULL, HELP },
	{ 0 },
};

static const char HELP_TEXT[] =
	"%s [flags]: runs the simulated console in the foreground.\n"
	"\n"
	"  --state DIR          where it keeps everything (%s)\n"
	"  --http-port N        port of HTTP, 0 for a free one (8080)\n"
	"  --ws-port N          port of the WebSocket, 0 for a free one (8081)\n"
	"  --setup-http-port N  port of the set-up page, 0 for a free one (0)\n"
	"  --setup-dns-port N   port of its name server, 0 for a free one (0)\n"
	"  --address IP         listen on this address only, and be on its network\n"
	"  --usb PATH           link to the pseudo-terminal that is its USB port (DIR/usb)\n"
	"  --mac MAC            like 02:00:00:00:1A:2B; made once where it is left out\n"
	"  --sd DIR             folder that is its SD card\n"
	"  --usb-drive DIR      folder that is a USB drive\n"
	"  --sound FILE         WAV file that has what its loudspeaker plays\n"
	"  --hub URL            hub to belong to\n"
	"  --hub-ca FILE        PEM file of the certificates that a hub's is to be signed by, in place of the system's\n"
	"  --config NAME=VALUE  build option; may be given several times\n"
	"  --trusted-keys FILE  PEM file of the keys whose signatures it trusts\n"
	"  --window             show display and buttons in a window (SDL 2)\n"
	"  --no-mdns            do not announce it on the network\n"
	"  --log-level LEVEL    debug, info, warning or error\n";

static _Noreturn void usage(const char *problem, const char *value)
{
	fprintf(stderr, problem, value);
	fprintf(stderr, "usage: %s [flags]; %s --help lists them\n", options_command, options_command);
	exit(2);
}

static int parse_port(const char *text)
{
	char *end;
	long port = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || port > 65535)
		usage("console: \"%s\" is not a port: 0 to 65535\n", text);
	return (int)port;
}

/* Six octets with colons, converted to upper case, as the console shows it. */
static const char *parse_mac(char *text)
{
	unsigned int octet[6];
	int length = 0;
	int count = sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &octet[0], &octet[1], &octet[2], &octet[3], &octet[4],
		&octet[5], &length);
	if (count != 6 || length != 17 || text[length] || octet[0] & 1)		// the group bit must be clear
		usage("console: \"%s\" is not a MAC address: six octets like 02:00:00:00:1A:2B\n", text);
	for (char *character = text; *character; character++) {
		if (*character >= 'a')
			*character -= 'a' - 'A';
	}
	return text;
}

static bool isCheck;		/* only check the command line, then exit */

static void add_config(const char *text)
{
	if (!strchr(text, '=') || *text == '=')
		usage("console: \"%s\" is not a NAME=VALUE\n", text);
	if (options.configCount == MAXIMUM_CONFIG_OPTIONS)
		usage("console: too many --config, from \"%s\" on\n", text);
	options.config[options.configCount++] = text;
}

/* getopt_long accepts any prefix of a name; start.ts, which reads some flags, too, does not. */
static void refuse_abbreviations(int argc, char *argv[])
{
	for (int index = 1; index < argc; index++) {
		const struct option *known = table;
		size_t length = strcspn(argv[index], "=");
		if (strncmp(argv[index], "--", 2) != 0 || length == 2)
			continue;
		while (known->name && (strlen(known->name) != length - 2 || memcmp(known->name, argv[index] + 2, length - 2) != 0))
			known++;
		if (!known->name)
			usage("console: unrecognized option '%s'\n", argv[index]);
		index += known->has_arg == required_argument && argv[index][length] != '=';
	}
}

static const char *parse_directory(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		usage("console: \"%s\" is not a directory\n", path);
	return path;
}

static const char *parse_hub(const char *address)
{
	if (*address && strncmp(address, "http://", 7) != 0 && strncmp(address, "https://", 8) != 0)
		usage("console: \"%s\" is not an address of a hub: http://… or https://…\n", address);
	return address;
}

static void trust_hubs_of(const char *file)
{
	const char *problem = hub_trust_read(file);
	if (problem)
		usage(problem, file);
}

static void take_option(int option)
{
	switch (option) {
	case IMAGE: options.image = optarg; break;
	case STATE: options.state = optarg; break;
	case USB: options.usb = optarg; break;
	case MAC: options.mac = parse_mac(optarg); break;
	case ADDRESS: options.address = optarg; break;
	case SD: options.sd = parse_directory(optarg); break;
	case USB_DRIVE: options.usbDrive = parse_directory(optarg); break;
	case SOUND: options.sound = optarg; break;
	case HUB: options.hub = parse_hub(optarg); break;
	case HUB_CA: trust_hubs_of(optarg); break;
	case LOG_LEVEL: options.logLevel = optarg; break;
	case HTTP_PORT: options.httpPort = parse_port(optarg); break;
	case WS_PORT: options.wsPort = parse_port(optarg); break;
	case SETUP_HTTP_PORT: options.setupHttpPort = parse_port(optarg); break;
	case SETUP_DNS_PORT: options.setupDnsPort = parse_port(optarg); break;
	case NO_MDNS: options.mdns = false; break;
	case CONFIG: add_config(optarg); break;
	case TRUSTED_KEYS: break;		// handled by start.ts
	case WINDOW: break;				// the same
	case WINDOW_PROGRAM: options.windowProgram = optarg; break;
	case CHECK: isCheck = true; break;
	case DIE_WITH_PARENT: prctl(PR_SET_PDEATHSIG, SIGTERM); break;
	case HELP:
		printf(HELP_TEXT, options_command, options_default_state);
		exit(0);
	default:		// getopt_long has printed a message
		usage("%s", "");
	}
}

void options_parse(int argc, char *argv[])
{
	static char usb[MAXIMUM_PATH_BYTES];
	int option;
	refuse_abbreviations(argc, argv);
	while ((option = getopt_long(argc, argv, "", table, NULL)) >= 0)
		take_option(option);
	if (optind < argc)
		usage("console: what is \"%s\"?\n", argv[optind]);
	if (isCheck)
		exit(0);
	if (!options.state)
		options.state = options_default_state;
	if (!options.usb) {
		snprintf(usb, sizeof(usb), "%s/usb", options.state);
		options.usb = usb;
	}
	if (resume.httpPort != 0)
		options_set_ports(resume.httpPort, resume.wsPort);
}

void options_set_ports(int httpPort, int wsPort)
{
	options.httpPort = resume.httpPort = httpPort;
	options.wsPort = resume.wsPort = wsPort;
}

const char *options_state_path(const char *name)
{
	static char path[MAXIMUM_PATH_BYTES];
	snprintf(path, sizeof(path), "%s/%s", options.state, name);
	return path;
}
