/*
 * A console for an example that is compiled for this machine, which gives it frames without pauses and prints the milliseconds
 * that they took: what example-frames.ts gives to a module. `ANSWERS` are the other functions of the ABI.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int32_t frame;
static struct timespec began;

static int32_t held_in(int32_t at)
{
	return (int32_t)(((uint32_t)at >> 3) * 2654435761u >> 16) & BUTTONS;
}

static int64_t uptime(void)
{
	return (int64_t)frame * FRAME_MS;
}

static int32_t held(void)
{
	return held_in(frame);
}

static int32_t pressed(void)
{
	return frame & 7 ? 0 : held_in(frame) & ~held_in(frame - 8);
}

static int32_t released(void)
{
	return frame & 7 ? 0 : held_in(frame - 8) & ~held_in(frame);
}

static int32_t next(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (frame == 0)
		began = now;
	if (++frame <= FRAMES)
		return 0;
	printf("%.2f\n", (double)(now.tv_sec - began.tv_sec) * 1e3 + (double)(now.tv_nsec - began.tv_nsec) / 1e6);
	fflush(stdout);
	_exit(0);
}

ANSWERS
