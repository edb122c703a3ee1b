/* What a program sees of addresses, counters, the host's files and poll(), scene by scene on standard error. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "tell.h"

static void play_addresses(void)
{
	static const char *const TEXTS[] = { "0.0.0.0", "192.0.2.255", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "1..2.3",
		" 1.2.3.4", "1.2.3.4 ", "" };
	struct in_addr address;
	char text[INET_ADDRSTRLEN];
	scene("addresses");
	for (size_t index = 0; index < sizeof(TEXTS) / sizeof(TEXTS[0]); index++) {
		bool isAddress = inet_pton(AF_INET, TEXTS[index], &address) == 1;
		fprintf(stderr, "\"%s\": %s\n", TEXTS[index], isAddress ? inet_ntop(AF_INET, &address, text, sizeof(text)) : "none");
	}
	tell("IPv6", inet_pton(AF_INET6, "::1", text));
	fprintf(stderr, "too short: %d\n", inet_ntop(AF_INET, &address, text, 7) == NULL && errno == ENOSPC);
}

static void play_counter(void)
{
	uint64_t count = 2;
	scene("counter");
	int fd = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
	tell_ready("at 1", fd);
	tell("write", write(fd, &count, sizeof(count)));
	tell("read", read(fd, &count, sizeof(count)));
	fprintf(stderr, "counted: %llu\n", (unsigned long long)count);
	tell_ready("at 0", fd);
	tell("read", read(fd, &count, sizeof(count)));
	tell("short read", read(fd, &count, 4));
	close(fd);
}

/* Files of the host's are read and written as before, whatever of ours is open. */
static void play_files(void)
{
	char line[32];
	scene("files");
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	FILE *file = fopen("a-file", "w");
	fprintf(file, "written %d\n", 1);
	fclose(file);
	file = fopen("a-file", "r");
	fputs(fgets(line, sizeof(line), file), stderr);
	fclose(file);
	remove("a-file");
	close(fd);
}

/* For 30 ms no thread signals what this one waits for. */
static void *count_later(void *context)
{
	const uint64_t one = 1;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t nothing;
	const uint64_t at = clock_now() + 30 * 1000 * 1000;
	const struct timespec until = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };
	pthread_cond_init(&nothing, NULL);
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&nothing, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	write(*(int *)context, &one, sizeof(one));
	return NULL;
}

/* How long something has taken, in milliseconds; the instructions of it take less than one. */
static unsigned int milliseconds_since(uint64_t start)
{
	return (unsigned int)((clock_now() - start) / 1000000);
}

static void play_waiting(void)
{
	pthread_t thread;
	scene("waiting");
	int fd = eventfd(0, EFD_NONBLOCK);
	struct pollfd asked[] = { { .fd = fd, .events = POLLIN }, { .fd = -1, .events = POLLIN } };
	uint64_t start = clock_now();
	int count = poll(asked, 2, 0);
	fprintf(stderr, "without: %d after %u ms\n", count, milliseconds_since(start));
	start = clock_now();
	count = poll(asked, 2, 20);
	fprintf(stderr, "for 20 ms: %d after %u ms\n", count, milliseconds_since(start));
	pthread_create(&thread, NULL, count_later, &fd);
	start = clock_now();
	count = poll(asked, 2, 20);
	fprintf(stderr, "before a thread is there: %d after %u ms\n", count, milliseconds_since(start));
	count = poll(asked, 2, -1);
	fprintf(stderr, "for a thread: %d after %u ms\n", count, milliseconds_since(start));
	pthread_join(thread, NULL);
	close(fd);
	scene("waiting for nothing");
	poll(NULL, 0, -1);
}

int main(void)
{
	play_addresses();
	play_counter();
	play_files();
	play_waiting();
	return 0;
}
