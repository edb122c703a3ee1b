/*
 * The simulator takes the library to load as its last argument and loads a copy of it, in a directory that all
 * simulators of a user share; so each console uses its own directory (XDG_CONFIG_HOME).
 */
#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "options.h"
#include "resume.h"

enum { MAXIMUM_ARGUMENTS = 16, CLOSE_ON_EXEC = 4 };		// CLOSE_RANGE_CLOEXEC of linux/close_range.h

static char commandLine[2 * MAXIMUM_PATH_BYTES];
static char *arguments[MAXIMUM_ARGUMENTS + 1];
static int argumentCount;

static _Noreturn void fail(const char *verb, const char *path)
{
	fprintf(stderr, "console: cannot %s \"%s\": %s\n", verb, path, strerror(errno));
	exit(1);
}

/*
 * Read from /proc, because the simulator owns argv and does not pass it on. The simulator finds its devices by the
 * executable's own path.
 */
static void read_command_line(void)
{
	static char executable[MAXIMUM_PATH_BYTES];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, commandLine, sizeof(commandLine) - 1);
	ssize_t pathLength = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
	if (length <= 0 || pathLength <= 0)
		fail("read", "/proc/self/cmdline");
	close(fd);
	for (char *at = commandLine; at < commandLine + length && argumentCount < MAXIMUM_ARGUMENTS; at += strlen(at) + 1)
		arguments[argumentCount++] = at;
	arguments[0] = executable;
}

void library_open(void)
{
	read_command_line();
	resume_open(arguments);
}

static const char *path_of_this(void)
{
	Dl_info info;
	if (!dladdr((void *)library_load, &info))
		abort();
	return info.dli_fname;
}

Library library_load(void)
{
	const char *path = path_of_this();
	struct stat status;
	FILE *file = fopen(path, "rbe");
	if (!file || fstat(fileno(file), &status) != 0)
		fail("read", path);
	Library library = { malloc(status.st_size + 1), status.st_size };
	if (!library.bytes || fread(library.bytes, 1, library.length, file) != library.length)
		fail("read", path);
	fclose(file);
	return library;
}

/* Atomic, since the simulator may be loading the existing file. */
static void replace(const char *path, const char *bytes, size_t length)
{
	char temporary[MAXIMUM_PATH_BYTES + 8];
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	FILE *file = fopen(temporary, "wbe");
	if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0 || rename(temporary, path) != 0)
		fail("write", path);
}

bool library_is_running(const char *bytes, size_t length)
{
	Library library = library_load();
	bool isSame = library.length == length && memcmp(library.bytes, bytes, length) == 0;
	free(library.bytes);
	return isSame;
}

static const char *path_of_next(void)
{
	static char path[MAXIMUM_PATH_BYTES];
	snprintf(path, sizeof(path), "%s", options_state_path("firmware.so"));
	return path;
}

/* If a library cannot be loaded, the simulator would report that and stay open, empty. */
bool library_can_run(const char *bytes, size_t length)
{
	replace(path_of_next(), bytes, length);
	void *library = dlopen(path_of_next(), RTLD_NOW | RTLD_LOCAL);
	bool isProgram = library && dlsym(library, "fxScreenLaunch");
	if (library)
		dlclose(library);
	return isProgram;
}

void library_enter(void)
{
	arguments[argumentCount - 1] = (char *)path_of_next();
	library_restart();
}

/* GTK leaves descriptors open that the new process does not need. */
void library_restart(void)
{
	syscall(SYS_close_range, 3, ~0u, CLOSE_ON_EXEC);
	resume_restart();
}
