/*
 * Plays the script (script.h). Each command completes, or waits for the console or for time and is retried. The cost
 * of a step excludes the script, whose instructions are counted separately, so that the meters can subtract them.
 */
#include "script.h"

#include <stdio.h>

#include "awaited.h"
#include "board.h"
#include "clock.h"
#include "meters.h"
#include "script-channels.h"
#include "script-failure.h"
#include "script-file.h"
#include "script-reader.h"
#include "transcript.h"

/* WOKE_CONSOLE: done, and the console has work now. YIELDED: the same, and the console must run before the next command. */
typedef enum { DONE, WOKE_CONSOLE, YIELDED, WAITING } Outcome;

static const uint64_t MILLISECOND = 1000 * 1000;		/* in nanoseconds */
static const uint64_t PATIENCE = 60ull * 1000 * 1000 * 1000;

static enum { NOT_OPENED, PLAYING, OVER } phase;
static ScriptReader reader;
static Command command;			/* the current command */
static uint64_t commandSince;

static struct {
	Text name;
	uint32_t count;
	uint32_t roundsLeft;
	ScriptReader first;			/* at the step's first command */
} step;

static uint64_t executed;
static uint64_t goingSince;
static bool isGoing;

/* The channel of the command; fails unless it was opened. */
static Channel *opened_channel(void)
{
	Channel *channel = script_channel(command.name);
	if (!channel || !channel->wire)
		script_fail(&command, "this channel was never opened");
	return channel;
}

static Channel *usable_channel(void)
{
	Channel *channel = opened_channel();
	if (channel->isClosed)
		script_fail(&command, "this channel was closed");
	return channel;
}

static Outcome begin_step(void)
{
	step.name = command.name;
	step.count = step.roundsLeft = command.number;
	step.first = reader;
	transcript_step(step.name);
	meters_begin();
	return DONE;
}

static Outcome end_round(void)
{
	if (--step.roundsLeft > 0) {
		reader = step.first;
		return DONE;
	}
	char name[NAME_LIMIT_BYTES + 1];
	sprintf(name, "%.*s", (int)step.name.length, step.name.bytes);
	meters_end(name, step.count);
	return DONE;
}

/* The channel of the command; fails if it is open. */
static Channel *new_channel(void)
{
	Channel *channel = script_channel(command.name);
	if (!channel)
		script_fail(&command, "these are too many channels");
	if (channel->wire && !channel->isClosed)
		script_fail(&command, "this channel is open already");
	return channel;
}

static Outcome open_connection(void)
{
	return script_channel_connect(new_channel(), (int)command.number) ? WOKE_CONSOLE : WAITING;
}

static Outcome plug_in(void)
{
	Channel *channel = new_channel();
	if (wire_is_plugged(wire_of_usb()))
		script_fail(&command, "the cable is plugged in already");
	script_channel_plug(channel);
	return WOKE_CONSOLE;
}

static Outcome send_bytes(void)
{
	wire_send(usable_channel()->wire, (const uint8_t *)command.bytes.bytes, command.bytes.length);
	return WOKE_CONSOLE;
}

/* If a cable were plugged in again before the console saw it unplugged, the console would see no change of host. */
static Outcome close_channel(void)
{
	Channel *channel = usable_channel();
	script_channel_close(channel);
	return channel->isUsb ? YIELDED : WOKE_CONSOLE;
}

static AwaitedLength find_awaited(const Wire *wire)
{
	const uint8_t *said;
	const size_t length = wire_said(wire, &said);
	switch (command.kind) {
	case COMMAND_AWAIT_HTTP:
		return awaited_responses(said, length, wire_has_ended(wire), command.number);
	case COMMAND_AWAIT_LINES:
		return awaited_lines(said, length, command.number);
	case COMMAND_AWAIT_FRAMES:
		return awaited_frames(said, length, command.number);
	default:
		return awaited_text(said, length, (const uint8_t *)command.bytes.bytes, command.bytes.length);
	}
}

static Outcome await_said(void)
{
	Channel *channel = opened_channel();
	AwaitedLength length = find_awaited(channel->wire);
	if (length >= 0) {
		const uint8_t *said;
		wire_said(channel->wire, &said);
		transcript_said(channel->name, said, (size_t)length);
		wire_forget_said(channel->wire, (size_t)length);
		return DONE;
	}
	if (wire_has_ended(channel->wire))
		script_fail_waiting(&command, "the console has closed the connection");
	return WAITING;
}

static Outcome let_time_pass(void)
{
	return clock_now() >= commandSince + command.number * MILLISECOND ? DONE : WAITING;
}

static Outcome do_command(void)
{
	switch (command.kind) {
	case COMMAND_STEP:
		return begin_step();
	case COMMAND_END:
		return end_round();
	case COMMAND_OPEN:
		return open_connection();
	case COMMAND_PLUG:
		return plug_in();
	case COMMAND_SEND:
		return send_bytes();
	case COMMAND_WAIT:
		return let_time_pass();
	case COMMAND_CLOSE:
		return close_channel();
	default:
		return await_said();
	}
}

static void next_command(void)
{
	commandSince = clock_now();
	if (reader.rest.length > 0)
		script_reader_next(&reader, &command);		// cannot fail: the whole script was checked
	else {
		phase = OVER;
		transcript_close();
	}
}

void script_open(const char *script, const char *transcript)
{
	transcript_open(transcript);
	reader = script_reader(script_file_read(script));
	phase = PLAYING;
	next_command();
}

/* @returns whether the console has work now */
static bool advance(void)
{
	bool isConsoleWoken = false;
	while (phase == PLAYING) {
		const Outcome outcome = do_command();
		if (outcome == WAITING)
			break;
		isConsoleWoken |= outcome != DONE;
		next_command();
		if (outcome == YIELDED)
			break;
	}
	return isConsoleWoken;
}

static bool is_waiting_for_console(void)
{
	return phase == PLAYING && command.kind != COMMAND_WAIT;
}

bool script_go_on(void)
{
	goingSince = clock_instructions();
	isGoing = true;
	bool isConsoleWoken = advance();
	if (!isConsoleWoken && is_waiting_for_console() && clock_now() >= commandSince + PATIENCE)
		script_fail_waiting(&command, "a minute has passed");
	isGoing = false;
	executed += clock_instructions() - goingSince;
	return isConsoleWoken;
}

uint64_t script_wakes_at(void)
{
	return phase == PLAYING && command.kind == COMMAND_WAIT ? commandSince + command.number * MILLISECOND : UINT64_MAX;
}

bool script_is_over(void)
{
	return phase == OVER;
}

void script_stalled(void)
{
	if (phase == NOT_OPENED) {
		fprintf(stderr, "script: the console has nothing left to do, and has not opened the script\n");
		board_power_off(1);
	}
	script_fail_waiting(&command, command.kind == COMMAND_OPEN
		? "no socket listens on this port, and the console has nothing left to do"
		: "the console has nothing left to do");
}

uint64_t script_instructions(void)
{
	return executed + (isGoing ? clock_instructions() - goingSince : 0);
}
