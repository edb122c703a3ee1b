/*
 * svc/resolver: names to addresses, with the host's own blocking resolver; so lookups run in threads, a few at a time,
 * and further lookups wait for one of them. Everything but run() is on the loop's thread.
 *
 * A lookup keeps its object alive until it has called back. Where the machine goes first (a restart), the
 * record is an orphan, which the next function that finds it frees.
 */
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "event-loop.h"
#include "machine.h"
#include "socket-address.h"

enum {
	MAXIMUM_NAME_LENGTH = 253,		/* RFC 1035 §2.3.4, without the length of the root */
	MAXIMUM_THREADS = 4,
};

typedef struct Lookup Lookup;
struct Lookup {
	char name[MAXIMUM_NAME_LENGTH + 1];
	TextAddress found;
	const char *problem;	/* NULL where something was found */
	bool hasThread;
	bool isDone;			/* has called back */
	bool isOrphan;
	xsSlot self;
	xsSlot onDone;
	Lookup *next;			/* among those that wait for a thread */
};

static Lookup *firstWaiting;
static Lookup **lastWaiting = &firstWaiting;
static int threadCount;

static void finish(void *context);

/* The first IPv4 address, else the first of IPv6. */
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

static void look_up(Lookup *lookup)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	int error = getaddrinfo(lookup->name, NULL, &hints, &list);
	const struct addrinfo *chosen = error ? NULL : choose(list);
	if (chosen) {
		struct sockaddr_storage address = { 0 };
		memcpy(&address, chosen->ai_addr, chosen->ai_addrlen);
		lookup->found = socket_address_format(&address);
	}
	else
		lookup->problem = gai_strerror(error ? error : EAI_NONAME);
	if (list)
		freeaddrinfo(list);
}

static void *run(void *context)
{
	look_up(context);
	event_loop_post(finish, context);
	return NULL;
}

static bool start_thread(Lookup *lookup)
{
	pthread_t thread;
	lookup->hasThread = pthread_create(&thread, NULL, run, lookup) == 0;
	if (lookup->hasThread)
		pthread_detach(thread);
	return lookup->hasThread;
}

static void start(Lookup *lookup)
{
	if (start_thread(lookup)) {
		threadCount++;
		return;
	}
	lookup->problem = "there is no thread for it";
	event_loop_post(finish, lookup);
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
			start(lookup);
	}
}

static void finish(void *context)
{
	Lookup *lookup = context;
	if (lookup->hasThread)
		threadCount--;
	start_waiting();
	if (lookup->isOrphan) {
		free(lookup);
		return;
	}
	lookup->isDone = true;
	machine_call(&lookup->self, &lookup->onDone);
	machine_release(machine, &lookup->onDone);
	machine_release(machine, &lookup->self);
}

void xs_lookup_destructor(void *data)
{
	Lookup *lookup = data;
	if (!lookup)
		return;
	if (lookup->isDone)
		free(lookup);
	else
		lookup->isOrphan = true;
}

static bool is_name(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length <= MAXIMUM_NAME_LENGTH && !memchr(text, 0xC0, length);	// C0 80 is U+0000
}

/* new Lookup(name, onDone): later calls back, with nothing. */
void xs_lookup_constructor(xsMachine *the)
{
	SocketAddress numeric;
	const char *name = xsmcToString(xsArg(0));
	if (!is_name(name))
		xsRangeError("this is no name of a host");
	Lookup *lookup = calloc(1, sizeof(Lookup));
	if (!lookup)
		xsUnknownError("out of memory");
	strcpy(lookup->name, name);
	xsmcSetHostData(xsThis, lookup);
	machine_keep(the, &lookup->self, xsThis);
	machine_keep(the, &lookup->onDone, xsArg(1));
	if (socket_address_parse(lookup->name, 0, &numeric)) {
		lookup->found = socket_address_format(&numeric.storage);
		event_loop_post(finish, lookup);
		return;
	}
	*lastWaiting = lookup;
	lastWaiting = &lookup->next;
	start_waiting();
}

/* lookup.address(): undefined where nothing was found. */
void xs_lookup_address(xsMachine *the)
{
	Lookup *lookup = xsmcGetHostDataValidate(xsThis, xs_lookup_destructor);
	if (!lookup->problem)
		xsmcSetString(xsResult, lookup->found.address);
}

/* lookup.problem(): why nothing was found. */
void xs_lookup_problem(xsMachine *the)
{
	Lookup *lookup = xsmcGetHostDataValidate(xsThis, xs_lookup_destructor);
	if (lookup->problem)
		xsmcSetString(xsResult, (char *)lookup->problem);
}
