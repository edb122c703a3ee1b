/*
 * The display as a framebuffer: one picture that the app in front draws on, and one that is shown. Apps draw under one
 * lock, which is held at most for as long as copying three pictures takes.
 *
 * A reader of the shown picture takes no lock, because apps that draw without end would keep it waiting. A flush
 * copies to a picture that is neither shown nor being read (there is always one) and then shows it. The pictures are
 * allocated, not static: on a board, the allocator places them where there is room.
 */
#include "display.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "boot-picture.h"
#include "display-canvas.h"
#include "display-memory.h"

enum { NOTHING = -1, PICTURES = DISPLAY_READERS + 2 };

typedef uint16_t Row[DISPLAY_WIDTH];
enum { CONCEALED_RGB565 = 0x8410 };	/* grey */
enum { PICTURE_BYTES = DISPLAY_HEIGHT * sizeof(Row) };

static Row *drawn;								/* by the app in front */
static DisplayClient *front;
static DisplayClient *oldestKept;				/* of the apps whose pictures are kept */
static int keptCount, keptLimit;
static Row *pictures[PICTURES];
static int concealedTop[PICTURES], concealedBottom[PICTURES];	/* rows of each, exclusive of the last */
static bool isBooting;							/* the boot picture stays until something else is to be shown */
static _Atomic int shown;						/* index into the pictures */
static _Atomic int lookedAt[DISPLAY_READERS] = { NOTHING, NOTHING };
static void (*onShown)(void);
static _Atomic int brightness = 100;
static void (*onBrightness)(int percent);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const DisplayArea WHOLE = { .right = DISPLAY_WIDTH, .bottom = DISPLAY_HEIGHT };

int display_width(void)
{
	return DISPLAY_WIDTH;
}

int display_height(void)
{
	return DISPLAY_HEIGHT;
}

/* Takes the lock, if the app is in front. */
static bool lock_for(const DisplayClient *client)
{
	pthread_mutex_lock(&lock);
	if (client && client == front)
		return true;
	pthread_mutex_unlock(&lock);
	return false;
}

bool display_is_in_front(const DisplayClient *client)
{
	const bool isInFront = lock_for(client);
	if (isInFront)
		pthread_mutex_unlock(&lock);
	return isInFront;
}

bool display_begin(const DisplayClient *client, Canvas *canvas)
{
	if (!lock_for(client))
		return false;
	*canvas = (Canvas){ .pixels = drawn[0], .clip = client->isClipped ? client->clip : WHOLE };
	return true;
}

void display_end(void)
{
	pthread_mutex_unlock(&lock);
}

bool display_clip(DisplayClient *client, int32_t x, int32_t y, int32_t w, int32_t h)
{
	const DisplayArea area = area_of(WHOLE, x, y, w, h);
	pthread_mutex_lock(&lock);
	client->isClipped = true;
	client->clip = area;
	const bool isInFront = client == front;
	pthread_mutex_unlock(&lock);
	return isInFront;
}

static bool is_free(int picture)
{
	for (int reader = 0; reader < DISPLAY_READERS; reader++) {
		if (picture == lookedAt[reader])
			return false;
	}
	return picture != shown;
}

/* With the lock held. */
static void show(void)
{
	int next = 0;
	while (!is_free(next))
		next++;
	memcpy(pictures[next], drawn, PICTURE_BYTES);
	concealedTop[next] = front ? front->concealedTop : 0;
	concealedBottom[next] = front ? front->concealedBottom : 0;
	shown = next;
	isBooting = false;
	if (onShown)
		onShown();
}

static Row *allocate(void)
{
	Row *picture = malloc(PICTURE_BYTES);
	if (!picture)
		abort();
	return picture;
}

bool display_flush(const DisplayClient *client)
{
	if (!lock_for(client))
		return false;
	show();
	pthread_mutex_unlock(&lock);
	return true;
}

bool display_conceal(DisplayClient *client, int32_t y, int32_t h)
{
	DisplayArea area = area_of(WHOLE, 0, y, DISPLAY_WIDTH, h);
	pthread_mutex_lock(&lock);
	const bool isInFront = client == front;
	const bool wasConcealing = client->concealedTop < client->concealedBottom;
	/* Behind, it has not drawn over its secrets: its picture may be kept, and is shown again before it draws. */
	if (!isInFront && wasConcealing) {
		area.top = !area_is_empty(area) && area.top < client->concealedTop ? area.top : client->concealedTop;
		area.bottom = area.bottom > client->concealedBottom ? area.bottom : client->concealedBottom;
	}
	client->concealedTop = area.top;
	client->concealedBottom = area.bottom;
	pthread_mutex_unlock(&lock);
	return isInFront;
}

/* Takes the kept picture of an app out of the list. With the lock held. @returns the picture, NULL if there is none */
static Row *take_kept(DisplayClient *client)
{
	if (!client || !client->kept)
		return NULL;
	DisplayClient **link = &oldestKept;
	while (*link != client)
		link = &(*link)->newerKept;
	*link = client->newerKept;
	keptCount--;
	Row *picture = (Row *)client->kept;
	client->kept = NULL;
	client->newerKept = NULL;
	return picture;
}

/* With the lock held. */
static void put_kept(DisplayClient *client, Row *picture)
{
	DisplayClient **link = &oldestKept;
	while (*link)
		link = &(*link)->newerKept;
	*link = client;
	client->kept = picture[0];
	keptCount++;
}

/* What one more picture can be kept in. With the lock held. @returns NULL where none is to be kept */
static Row *room_for_another(void)
{
	Row *picture = keptCount < keptLimit ? malloc(PICTURE_BYTES) : NULL;
	return picture ? picture : take_kept(oldestKept);
}

void display_keep_pictures(int count)
{
	pthread_mutex_lock(&lock);
	keptLimit = count;
	while (keptCount > keptLimit)
		free(take_kept(oldestKept));
	pthread_mutex_unlock(&lock);
}

/*
 * Pictures change hands, so that an app comes back with its own even where no other can be kept. The first app after the
 * start has none: the boot picture stays until it has drawn. With the lock held.
 */
static void change_front(DisplayClient *client)
{
	Row *next = take_kept(client);
	const bool isBack = next != NULL;
	if (!next && front)
		next = room_for_another();
	if (next && front)
		put_kept(front, drawn);
	else if (next)
		free(drawn);
	if (next)
		drawn = next;
	if (!isBack)
		memset(drawn, 0, PICTURE_BYTES);
	front = client;
	if (isBooting && front && !isBack)
		return;
	show();
}

void display_bring_to_front(DisplayClient *client)
{
	pthread_mutex_lock(&lock);
	if (client != front || (isBooting && !client))
		change_front(client);
	pthread_mutex_unlock(&lock);
}

void display_leave(DisplayClient *client)
{
	pthread_mutex_lock(&lock);
	free(take_kept(client));
	if (client == front) {
		front = NULL;
		change_front(NULL);
	}
	pthread_mutex_unlock(&lock);
}

void display_reset(void)
{
	pthread_mutex_lock(&lock);
	front = NULL;
	if (!drawn) {
		drawn = allocate();
		for (int index = 0; index < PICTURES; index++)
			pictures[index] = allocate();
	}
	boot_picture_draw(drawn[0]);
	show();
	isBooting = true;
	pthread_mutex_unlock(&lock);
	display_set_brightness(100);
}

void display_set_brightness(int percent)
{
	brightness = percent;
	if (onBrightness)
		onBrightness(percent);
}

int display_brightness(void)
{
	return brightness;
}

void display_on_brightness(void (*callback)(int percent))
{
	onBrightness = callback;
}

void display_on_shown(void (*callback)(void))
{
	pthread_mutex_lock(&lock);
	onShown = callback;
	pthread_mutex_unlock(&lock);
}

/* If the picture is still the shown one after it has been claimed, nothing writes to it. */
const uint16_t *display_acquire(DisplayReader reader)
{
	int claimed;
	do
		lookedAt[reader] = claimed = shown;
	while (claimed != shown);
	return pictures[claimed][0];
}

void display_release(DisplayReader reader)
{
	lookedAt[reader] = NOTHING;
}

void display_copy_shown(uint16_t *pixels, bool isOwner)
{
	memcpy(pixels, display_acquire(DISPLAY_SNAPSHOT), PICTURE_BYTES);
	const int picture = lookedAt[DISPLAY_SNAPSHOT];
	const int end = isOwner ? 0 : concealedBottom[picture] * DISPLAY_WIDTH;
	for (int pixel = concealedTop[picture] * DISPLAY_WIDTH; pixel < end; pixel++)
		pixels[pixel] = CONCEALED_RGB565;
	display_release(DISPLAY_SNAPSHOT);
}
