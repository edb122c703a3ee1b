/*
 * Fault injection: SVC_SIM_ALLOCATION_FAILURE=k makes the k-th allocation of our C and of wasm3 after SIGUSR2 fail,
 * and each further SIGUSR2 the one after. XS allocates from an arena, which is not counted. All of our C calls these
 * functions in place of the C library's (build.ts).
 */
#undef malloc
#undef calloc
#undef realloc

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_ulong left;		/* allocations up to and including the one that fails; 0: none fails */
static unsigned long next;		/* for the next signal; 0: disabled */

static void arm(int number)
{
	(void)number;
	atomic_store(&left, next++);
}

__attribute__((constructor)) static void open_failures(void)
{
	const char *text = getenv("SVC_SIM_ALLOCATION_FAILURE");
	struct sigaction action = { .sa_handler = arm, .sa_flags = SA_RESTART };
	next = text ? strtoul(text, NULL, 10) : 0;
	if (next > 0)
		sigaction(SIGUSR2, &action, NULL);
}

static int fails(void)
{
	static const char message[] = "console: an allocation fails, as it was asked to\n";
	unsigned long before = atomic_load(&left);
	if (before == 0)
		return 0;
	while (!atomic_compare_exchange_weak(&left, &before, before - 1))
		if (before == 0)
			return 0;
	if (before > 1)
		return 0;
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
	(void)ignored;
	return 1;
}

void *test_malloc(size_t byteLength)
{
	return fails() ? NULL : malloc(byteLength);
}

void *test_calloc(size_t count, size_t byteLength)
{
	return fails() ? NULL : calloc(count, byteLength);
}

void *test_realloc(void *data, size_t byteLength)
{
	return fails() ? NULL : realloc(data, byteLength);
}
