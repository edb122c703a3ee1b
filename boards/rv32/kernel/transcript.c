/* Written directly to the host, by semihosting, without a buffer (transcript.h). */
#include "transcript.h"

#include <semihost.h>
#include <stdio.h>

#include "board.h"

static int file = -1;

static void write_all(const void *bytes, size_t length)
{
	if (length == 0 || sys_semihost_write(file, bytes, length) == 0)
		return;
	fprintf(stderr, "script: cannot write the transcript\n");
	board_power_off(1);
}

void transcript_open(const char *name)
{
	file = sys_semihost_open(name, SH_OPEN_W_B);
	if (file >= 0)
		return;
	fprintf(stderr, "script: cannot create the transcript \"%s\"\n", name);
	board_power_off(1);
}

void transcript_step(Text name)
{
	char line[NAME_LIMIT_BYTES + 16];
	write_all(line, (size_t)sprintf(line, "step %.*s\n", (int)name.length, name.bytes));
}

void transcript_said(Text channel, const uint8_t *bytes, size_t length)
{
	char line[NAME_LIMIT_BYTES + 32];
	write_all(line, (size_t)sprintf(line, "said %.*s %u\n", (int)channel.length, channel.bytes, (unsigned int)length));
	write_all(bytes, length);
	write_all("\n", 1);
}

void transcript_close(void)
{
	sys_semihost_close(file);
}
