/*
 * Holds the pictures of display.h and display-memory.h to what they promise: what a flush shows, whose picture it is, which are
 * kept, what is concealed, and the boot picture; on threads, too. Prints what does not hold.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "boot-picture.h"
#include "display-memory.h"
#include "display.h"
#include "holds.h"

static DisplayClient app;
static uint16_t shown[DISPLAY_PIXELS];

static void start_anew(void)
{
	display_reset();
	display_bring_to_front(&app);
}

static bool isDrawing;

static void *draw(void *context)
{
	(void)context;
	for (uint16_t color = 1; __atomic_load_n(&isDrawing, __ATOMIC_SEQ_CST); color++) {
		display_fill(&app, 0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT, color);
		display_flush(&app);
	}
	return NULL;
}

/* Every picture has one color, whenever it is taken; and not always the same one. */
static void check_tearing(void)
{
	pthread_t thread;
	uint16_t first = 0;
	int changes = 0;
	isDrawing = true;
	start_anew();
	display_flush(&app);		// the boot picture has more than one color
	pthread_create(&thread, NULL, draw, NULL);
	for (int count = 0; count < 200000 && (count < 500 || changes < 50); count++) {
		display_copy_shown(shown, true);
		changes += shown[0] != first;
		first = shown[0];
		HOLDS(memcmp(shown, shown + 1, sizeof(shown) - sizeof(shown[0])) == 0, "picture %d is torn", count);
	}
	__atomic_store_n(&isDrawing, false, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	HOLDS(changes >= 50, "the picture changed %d times", changes);
}

static void check_flush(void)
{
	start_anew();
	display_fill(&app, 0, 0, 1, 1, 0xFFFF);
	display_copy_shown(shown, true);
	HOLDS(shown[0] == 0, "what was not flushed is shown");
	display_flush(&app);
	display_copy_shown(shown, true);
	HOLDS(shown[0] == 0xFFFF && shown[1] == 0, "what was flushed is not shown");
	display_flush(&app);
	display_copy_shown(shown, true);
	HOLDS(shown[0] == 0xFFFF, "the picture does not stay to be drawn on");
}

static bool shows(uint16_t color)
{
	display_copy_shown(shown, true);
	return shown[0] == color && memcmp(shown, shown + 1, sizeof(shown) - sizeof(shown[0])) == 0;
}

static bool fills(DisplayClient *client, uint16_t color)
{
	const bool isDrawn = display_fill(client, 0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT, color);
	return display_flush(client) && isDrawn;
}

static void check_front(void)
{
	static const uint8_t PIXEL[2];
	DisplayClient other = { 0 };
	start_anew();
	HOLDS(fills(&app, 0x1234) && shows(0x1234), "the app in front does not draw");
	HOLDS(!display_is_in_front(&other) && !fills(&other, 0x4321) && shows(0x1234), "another app draws");
	HOLDS(!display_blit(&other, 0, 0, 1, 1, PIXEL) && !display_text(&other, 0, 0, 1, 1, "A", 1), "another app draws");
	HOLDS(!display_fill(NULL, 0, 0, 1, 1, 0), "nobody draws");

	display_bring_to_front(&other);
	HOLDS(shows(0) && !display_is_in_front(&app) && !fills(&app, 1), "an app that came to the front is not alone");
	HOLDS(fills(&other, 0x4321) && shows(0x4321), "an app that came to the front does not draw");
	display_bring_to_front(&other);
	HOLDS(shows(0x4321), "an app that is in front loses its picture");

	display_bring_to_front(&app);
	HOLDS(shows(0x1234) && !app.kept && other.kept, "an app that came back has another picture");
	display_flush(&app);
	HOLDS(shows(0x1234), "an app that came back has nothing to draw on");

	display_leave(&other);
	HOLDS(!other.kept && shows(0x1234), "an app behind the one in front ends");
	display_leave(&app);
	HOLDS(shows(0) && !display_is_in_front(&app) && !fills(&app, 1), "the picture of an app that ended stays");
	display_bring_to_front(&app);
	HOLDS(shows(0), "an app starts with the picture of the one before");
	display_bring_to_front(NULL);
	HOLDS(shows(0) && !fills(&app, 1), "an app is in front where none is to be");
	display_leave(&app);
}

/* @returns whether others see these rows, exclusive of the last, in grey, and the rest as it is */
static bool conceals(int top, int bottom)
{
	static uint16_t others[DISPLAY_PIXELS];
	display_copy_shown(shown, true);
	display_copy_shown(others, false);
	for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++) {
		const int row = pixel / DISPLAY_WIDTH;
		if (others[pixel] != (row >= top && row < bottom ? 0x8410 : shown[pixel]))
			return false;
	}
	return true;
}

static void check_concealed(void)
{
	DisplayClient other = { 0 };
	start_anew();
	HOLDS(fills(&app, 0x1234) && conceals(0, 0), "something is concealed at the start");
	HOLDS(display_conceal(&app, 46, 254) && conceals(0, 0), "a picture is concealed that was flushed before");
	HOLDS(fills(&app, 0x4321) && shows(0x4321) && conceals(46, 300), "what an app conceals is seen by others");
	HOLDS(display_conceal(&app, 0, 0) && conceals(46, 300), "a secret is told before the next flush");
	HOLDS(display_flush(&app) && conceals(0, 0), "what is no secret any more stays concealed");
	display_conceal(&app, -5, 10);
	HOLDS(display_flush(&app) && conceals(0, 5), "rows above the display");
	display_conceal(&app, 310, INT32_MAX);
	HOLDS(display_flush(&app) && conceals(310, 320), "rows below the display");
	display_conceal(&app, 10, -5);
	HOLDS(display_flush(&app) && conceals(0, 0), "fewer rows than none");

	display_conceal(&app, 40, 200);
	display_flush(&app);
	display_bring_to_front(&other);
	HOLDS(shows(0) && conceals(0, 0), "an app conceals what another one shows");
	HOLDS(!display_conceal(&app, 0, 0), "an app that is not in front is told that it is");
	HOLDS(fills(&other, 1) && conceals(0, 0), "an app that is not in front conceals what another one shows");
	display_bring_to_front(&app);
	HOLDS(shows(0x4321) && conceals(40, 240), "the picture of an app that comes back has its secrets, which it tells");
	display_bring_to_front(&other);
	display_conceal(&app, 230, 60);
	display_bring_to_front(&app);
	HOLDS(shows(0x4321) && conceals(40, 290), "an app that is not in front conceals no more than before");
	display_leave(&app);
	HOLDS(shows(0) && conceals(0, 0), "an app that ended conceals something");
	display_leave(&other);
}

/* Has each app of a row draw in front, and tells which of their pictures are there when they come back, a bit each. */
static int kept_of_four(int limit)
{
	DisplayClient clients[4] = { 0 };
	int kept = 0;
	display_reset();
	display_keep_pictures(limit);
	for (int index = 0; index < 4; index++) {
		display_bring_to_front(&clients[index]);
		fills(&clients[index], (uint16_t)(0x1111 * (index + 1)));
	}
	display_bring_to_front(NULL);
	for (int index = 0; index < 4; index++)
		kept |= (clients[index].kept != NULL) << index;
	for (int index = 3; index >= 0; index--) {
		const bool isKept = kept >> index & 1;
		display_bring_to_front(&clients[index]);
		HOLDS(shows(isKept ? (uint16_t)(0x1111 * (index + 1)) : 0), "app %d of %d kept came back", index, limit);
		display_leave(&clients[index]);
	}
	return kept;
}

static void check_kept(void)
{
	HOLDS(kept_of_four(0) == 0, "a picture is kept where none is to be");
	HOLDS(kept_of_four(1) == 8, "the last picture is not the one that is kept");
	HOLDS(kept_of_four(2) == 12, "another than the oldest pictures is dropped");
	HOLDS(kept_of_four(4) == 15, "not every picture is kept");

	DisplayClient other = { 0 };
	display_keep_pictures(1);
	start_anew();
	fills(&app, 0x1234);
	display_bring_to_front(&other);
	fills(&other, 0x4321);
	display_bring_to_front(&app);
	HOLDS(shows(0x1234), "the picture of an app that came back makes room for another before it is shown");
	display_bring_to_front(&other);
	HOLDS(shows(0x4321), "two apps by turns do not come back with their pictures where one is kept");
	display_keep_pictures(0);
	display_bring_to_front(&app);
	HOLDS(shows(0) && !app.kept && !other.kept, "a picture stays although none is to be kept any more");
	display_leave(&app);
	display_leave(&other);
}

static bool shows_boot_picture(void)
{
	static uint16_t picture[DISPLAY_PIXELS];
	boot_picture_draw(picture);
	display_copy_shown(shown, true);
	return memcmp(shown, picture, sizeof(shown)) == 0;
}

static void check_boot_picture(void)
{
	DisplayClient other = { 0 };
	display_reset();
	HOLDS(shows_boot_picture() && !shows(shown[0]), "after power on there is no picture");
	display_bring_to_front(&app);
	display_fill(&app, 0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT, 0x1234);
	HOLDS(shows_boot_picture(), "the boot picture goes before the first app has drawn");
	display_bring_to_front(&other);
	HOLDS(shows_boot_picture(), "the boot picture goes before any app has drawn");
	display_fill(&other, 0, 0, 1, 1, 0);
	display_flush(&other);
	HOLDS(shows(0), "an app draws on the boot picture");
	display_leave(&other);
	display_leave(&app);

	display_reset();
	HOLDS(shows_boot_picture(), "a restart shows no boot picture");
	display_bring_to_front(NULL);
	HOLDS(shows(0), "the boot picture stays where no app is to be shown");

	display_reset();
	display_bring_to_front(&app);
	display_leave(&app);
	HOLDS(shows(0), "the boot picture stays after an app that has drawn nothing");
}

int main(void)
{
	check_flush();
	display_keep_pictures(2);
	check_front();
	check_concealed();
	check_kept();
	check_boot_picture();
	check_tearing();
	return failures > 0;
}
