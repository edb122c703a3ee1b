/*
 * Idle time is added to ten numbered half-second buckets; a bucket of an older round is stale and counts as empty.
 * Idle time is counted, not busy time, because it has ended when the figure is requested.
 */
#include "load.h"

#include <math.h>

enum { BUCKET_COUNT = 10 };
static const double BUCKET_MS = 500;

static struct {
	double number;
	double idleMs;
} buckets[BUCKET_COUNT];
static double idleSince;
static double firstAt = -1;

/*
 * The bucket that was booked last, from when to when it is. Most idle times are in it as a whole, and booked without
 * the divisions, which are slow without a floating-point unit.
 */
static int latest;
static double latestFrom;
static double latestTo = -1;

static void book(double from, double to)
{
	if (from >= latestFrom && to <= latestTo) {
		buckets[latest].idleMs += to - from;
		return;
	}
	double number = floor(from / BUCKET_MS);
	double oldest = floor(to / BUCKET_MS) - BUCKET_COUNT;
	if (number <= oldest) {
		number = oldest + 1;
		from = number * BUCKET_MS;
	}
	for (; from < to; from = ++number * BUCKET_MS) {
		double end = fmin(to, (number + 1) * BUCKET_MS);
		int index = (int)fmod(number, BUCKET_COUNT);
		if (buckets[index].number != number) {
			buckets[index].number = number;
			buckets[index].idleMs = 0;
		}
		buckets[index].idleMs += end - from;
		latest = index;
		latestFrom = number * BUCKET_MS;
		latestTo = latestFrom + BUCKET_MS;
	}
}

void load_idle_begins(double now)
{
	if (firstAt < 0)
		firstAt = now;
	idleSince = now;
}

void load_idle_ends(double now)
{
	book(idleSince, now);
}

double load_percent(double now)
{
	double first = (floor(now / BUCKET_MS) - BUCKET_COUNT + 1) * BUCKET_MS;
	double window = now - fmax(first, firstAt);
	double idle = 0;
	for (int index = 0; index < BUCKET_COUNT; index++) {
		if (buckets[index].number * BUCKET_MS >= first)
			idle += buckets[index].idleMs;
	}
	if (!(window > 0))
		return 0;
	return fmin(100, fmax(0, 100 * (1 - idle / window)));
}
