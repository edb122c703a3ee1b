/* A single line of JSON, formatted here (ready-line.h). */
#include "ready-line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "resume.h"

static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char byte = *text;
		if (byte == '"' || byte == '\\')
			printf("\\%c", byte);
		else if (byte < ' ')
			printf("\\u%04x", byte);
		else
			putchar(byte);
	}
	putchar('"');
}

/* The link's own path, made absolute without resolving the link. */
static void print_usb(void)
{
	char directory[MAXIMUM_PATH_BYTES];
	if (options.usb[0] != '/' && getcwd(directory, sizeof(directory))) {
		char path[2 * MAXIMUM_PATH_BYTES];
		snprintf(path, sizeof(path), "%s/%s", directory, options.usb);
		print_string(path);
	}
	else
		print_string(options.usb);
}

void ready_line_print(const char *name)
{
	char host[80];
	if (resume.isReadyPrinted)
		return;
	resume.isReadyPrinted = true;
	const char *address = options.address ? options.address : "127.0.0.1";
	snprintf(host, sizeof(host), strchr(address, ':') ? "[%s]" : "%s", address);		// RFC 3986 §3.2.2
	printf("{\"ready\":true,\"http\":\"http://%s:%d\",\"ws\":\"ws://%s:%d/ws\",\"usb\":", host, options.httpPort, host,
		options.wsPort);
	print_usb();
	printf(",\"name\":");
	print_string(name);
	printf(",\"pid\":%d}\n", getpid());
	fflush(stdout);
}
