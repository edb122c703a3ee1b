/* The maker of the root in QEMU (maker.h): its files are the host's, by semihosting. */
#include <semihost.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "board.h"
#include "maker.h"

/* From the linker: the root's part of the flash comes after the code. */
extern const uint8_t __flash[], __root_start[], __root_end[];

void maker_fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	board_power_off(1);
}

bool maker_is_linked(const void *address)
{
	return (const uint8_t *)address >= __flash && (const uint8_t *)address < __root_start;
}

void maker_write(const char *file, const void *bytes, size_t byteLength)
{
	if (byteLength > (size_t)(__root_end - __root_start))
		maker_fail("\"%s\" is too large for its part of the flash", file);
	const int descriptor = sys_semihost_open(file, SH_OPEN_W_B);
	if (descriptor < 0 || sys_semihost_write(descriptor, bytes, byteLength) != 0 || sys_semihost_close(descriptor) != 0)
		maker_fail("cannot write \"%s\"", file);
}
