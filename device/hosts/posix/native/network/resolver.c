/*
 * Lookups (lookup.h) by the host's blocking resolver, in threads of their own. At most MAXIMUM_THREADS run; further
 * lookups wait. Everything but run() is on the loop's thread.
 */
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "event-loop.h"
#include "lookup.h"
#include "socket-address.h"

enum { MAXIMUM_THREADS = 4 };

static Lookup *firstWaiting;
static Lookup **lastWaiting = &firstWaiting;
static int threadCount;

static void set_address(Lookup *lookup, const struct sockaddr_storage *address)
{
	const TextAddress text = socket_address_format(address);
	_Static_assert(sizeof(text.address) <= sizeof(lookup->address), "an address fits");
	memcpy(lookup->address, text.address, sizeof(text.address));
}

/* The first IPv4 address, else the first IPv6 address. */
static const struct addrinfo *choose(const struct addrinfo *list)
{
	const struct addrinfo *chosen = NULL;
	for (const struct addrinfo *entry = list; entry; entry = entry->ai_next) {
		if (entry->ai_family == AF_INET)
			return entry;
		if (entry->ai_family == AF_INET6 && !chosen)
			chosen = entry;
	}
	return chosen;
}

static void resolve(Lookup *lookup)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	int error = getaddrinfo(lookup->name, NULL, &hints, &list);
	const struct addrinfo *chosen = error ? NULL : choose(list);
	if (chosen) {
		struct sockaddr_storage address = { 0 };
		memcpy(&address, chosen->ai_addr, chosen->ai_addrlen);
		set_address(lookup, &address);
	}
	else
		lookup->problem = gai_strerror(error ? error : EAI_NONAME);
	if (list)
		freeaddrinfo(list);
}

static void start_waiting(void);

static void thread_done(void *context)
{
	threadCount--;
	start_waiting();
	lookup_finish(context);
}

static void *run(void *context)
{
	resolve(context);
	event_loop_post(thread_done, context);
	return NULL;
}

static void start_thread(Lookup *lookup)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, lookup) == 0) {
		pthread_detach(thread);
		threadCount++;
		return;
	}
	lookup->problem = "cannot start a thread";
	event_loop_post(lookup_finish, lookup);
}

static void start_waiting(void)
{
	while (firstWaiting && threadCount < MAXIMUM_THREADS) {
		Lookup *lookup = firstWaiting;
		firstWaiting = lookup->next;
		if (!firstWaiting)
			lastWaiting = &firstWaiting;
		if (lookup->isOrphan)
			free(lookup);
		else
			start_thread(lookup);
	}
}

void lookup_start(Lookup *lookup)
{
	SocketAddress numeric;
	if (socket_address_parse(lookup->name, 0, &numeric)) {
		set_address(lookup, &numeric.storage);
		event_loop_post(lookup_finish, lookup);
		return;
	}
	*lastWaiting = lookup;
	lastWaiting = &lookup->next;
	start_waiting();
}
