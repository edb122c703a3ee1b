/* The thread that plays: it sleeps while nothing sounds, and takes a block every 20 ms else (sound-output.h). */
#include "sound-output.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sound-mixer.h"
#include "sound.h"
#include "wav-file.h"

enum {
	BLOCK_MS = 20,
	BLOCK_SAMPLES = SOUND_RATE / 1000 * BLOCK_MS,
	NS_PER_MS = 1000 * 1000,
	LONGEST_SILENCE_MS = 5000,		/* in the file, between two sounds */
};

static int16_t recent[SOUND_RECENT_SAMPLES];
static uint64_t playedCount;
static pthread_mutex_t recentLock = PTHREAD_MUTEX_INITIALIZER;

static bool hasBegun;
static pthread_mutex_t beginLock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begun = PTHREAD_COND_INITIALIZER;

static WavFile file;
static bool hasFile;

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / NS_PER_MS;
}

static void sleep_until(int64_t ms)
{
	const struct timespec until = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

static void begin(void)
{
	pthread_mutex_lock(&beginLock);
	hasBegun = true;
	pthread_cond_signal(&begun);
	pthread_mutex_unlock(&beginLock);
}

static void wait_for_begin(void)
{
	pthread_mutex_lock(&beginLock);
	while (!hasBegun)
		pthread_cond_wait(&begun, &beginLock);
	hasBegun = false;
	pthread_mutex_unlock(&beginLock);
}

static void remember(const int16_t *block)
{
	pthread_mutex_lock(&recentLock);
	for (int index = 0; index < BLOCK_SAMPLES; index++)
		recent[playedCount++ % SOUND_RECENT_SAMPLES] = block[index];
	pthread_mutex_unlock(&recentLock);
}

size_t sound_output_recent(uint64_t *since, int16_t *into)
{
	pthread_mutex_lock(&recentLock);
	const uint64_t oldest = playedCount > SOUND_RECENT_SAMPLES ? playedCount - SOUND_RECENT_SAMPLES : 0;
	if (*since < oldest || *since > playedCount)
		*since = oldest;
	const size_t count = playedCount - *since;
	for (size_t index = 0; index < count; index++)
		into[index] = recent[(*since + index) % SOUND_RECENT_SAMPLES];
	pthread_mutex_unlock(&recentLock);
	return count;
}

static void check_file(bool isWritten)
{
	if (isWritten)
		return;
	fprintf(stderr, "console: the file of its sound cannot be written: %s\n", strerror(errno));
	hasFile = false;
}

/* The time in which nothing sounded is in the file, but for the time before the first sound. */
static void add_silence(int64_t silentMs)
{
	if (!hasFile || file.sampleCount == 0)
		return;
	const int64_t keptMs = silentMs < LONGEST_SILENCE_MS ? silentMs : LONGEST_SILENCE_MS;
	check_file(wav_file_add_silence(&file, (size_t)keptMs * (SOUND_RATE / 1000)));
}

static void *play(void *context)
{
	(void)context;
	int16_t block[BLOCK_SAMPLES];
	int64_t endMs = 0;			/* of the last sound */
	for (;;) {
		wait_for_begin();
		int64_t atMs = now_ms();
		if (atMs > endMs)
			add_silence(atMs - endMs);
		else
			atMs = endMs;
		while (sound_mix(block, BLOCK_SAMPLES)) {
			remember(block);
			if (hasFile)
				check_file(wav_file_add(&file, block, BLOCK_SAMPLES));
			atMs += BLOCK_MS;
			sleep_until(atMs);
		}
		endMs = atMs;
	}
	return NULL;
}

void sound_output_start(const char *path, bool isContinued)
{
	pthread_t thread;
	hasFile = path != NULL;
	if (hasFile)
		check_file(wav_file_open(&file, path, isContinued));
	if (pthread_create(&thread, NULL, play, NULL) != 0) {
		fputs("console: no thread for its sound\n", stderr);
		return;
	}
	pthread_detach(thread);
	sound_on_begin(begin);
}
