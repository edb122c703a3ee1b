/*
 * The display as the app ABI draws on it. Each host has its own display behind it; apps call it on their own
 * threads, several at a time.
 *
 * One app at a time is in front, and draws on a hidden picture; display_flush shows it, whole. What the others draw goes
 * nowhere. Pixels are RGB565: five bits of red in the highest places, six of green, five of blue. Rectangles may lie
 * anywhere: what is outside the display is clipped, and one whose width or height is not above 0 is empty.
 */
#ifndef SVC_DISPLAY_H
#define SVC_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

/* A part of the display, exclusive of right and bottom. */
typedef struct {
	int left, top, right, bottom;
} DisplayArea;

/* An app, to the display; all zero at first. Its address names it, until display_leave(). */
typedef struct DisplayClient {
	uint16_t *kept;					/* its picture while it is not in front, or NULL */
	struct DisplayClient *newerKept;	/* whose picture was kept next */
	int concealedTop, concealedBottom;	/* rows of what it draws, exclusive of the last; see display_conceal() */
	bool isClipped;					/* see display_clip() */
	DisplayArea clip;
} DisplayClient;

/* Points and radii lie within this of 0. */
enum { DISPLAY_COORDINATE = 32767 };

typedef struct {
	int32_t x, y;
} DisplayPoint;

enum { DISPLAY_TEXT_SCALE = 4 };

enum { DISPLAY_FLIP_X = 1, DISPLAY_FLIP_Y = 2, DISPLAY_FLIPS = 3 };

/* One of the equal parts of a picture, which are numbered from 0, in rows from left to right. */
typedef struct {
	const uint8_t *sheet;			/* low byte first, row by row; it needs no alignment */
	int32_t sheetWidth, sheetHeight;
	int32_t width, height;			/* of a part; what is left of the sheet on the right and below belongs to none */
	int32_t number;
	int32_t transparent;			/* the colour that is left out, or -1 */
	int flip;						/* bits DISPLAY_FLIP_X and DISPLAY_FLIP_Y */
} DisplaySprite;

/* How many pictures are kept for apps that are not in front; none at first. */
void display_keep_pictures(int count);

/*
 * Puts an app in front, or none if `client` is NULL. Shows the picture that it left, else black; keeps that of the app
 * which was in front, in place of the oldest one where the number or the memory does not suffice for another.
 */
void display_bring_to_front(DisplayClient *client);

bool display_is_in_front(const DisplayClient *client);

/* The app has ended: frees its picture, and clears the display if it was in front. */
void display_leave(DisplayClient *client);

/* Pixels in a row, and rows. */
int display_width(void);
int display_height(void);

/*
 * The functions below draw for an app, and do nothing unless it is in front.
 * @returns whether it is
 */
bool display_fill(const DisplayClient *client, int32_t x, int32_t y, int32_t w, int32_t h, uint16_t rgb565);

/*
 * Copies pixels, low byte first, row by row. `pixels` has w * h * 2 bytes, those that lie outside the display
 * included; it needs no alignment.
 */
bool display_blit(const DisplayClient *client, int32_t x, int32_t y, int32_t w, int32_t h, const uint8_t *pixels);

/* Draws a sprite, which display_has_sprite(), its top left corner at x and y. */
bool display_sprite(const DisplayClient *client, int32_t x, int32_t y, const DisplaySprite *sprite);

/* A line with both ends; a circle, 2 * radius + 1 pixels wide; a triangle, filled, with its edges. */
bool display_line(const DisplayClient *client, DisplayPoint from, DisplayPoint to, uint16_t rgb565);
bool display_circle(const DisplayClient *client, DisplayPoint centre, int32_t radius, uint16_t rgb565, bool isFilled);
bool display_triangle(const DisplayClient *client, const DisplayPoint corners[3], uint16_t rgb565);

/*
 * Writes UTF-8 in the font of font.h, the top left corner of the first character at x and y; the background
 * stays. A line feed goes on below, at x again; nothing else breaks a line. A character that the font does not
 * have, and each byte that is not UTF-8, is a box. `scale`, 1 to DISPLAY_TEXT_SCALE, is how many pixels each pixel of the
 * font has in both directions.
 */
bool display_text(const DisplayClient *client, int32_t x, int32_t y, int scale, uint16_t rgb565, const char *text,
	uint32_t length);

/* Moves what was drawn, within the clip; what comes from outside it stays as it is. */
bool display_scroll(const DisplayClient *client, int32_t dx, int32_t dy);

/* From now on, the app draws within this rectangle alone. */
bool display_clip(DisplayClient *client, int32_t x, int32_t y, int32_t w, int32_t h);

/* Whether the sheet has a part of this number. Needs no app in front. */
bool display_has_sprite(const DisplaySprite *sprite);

/* Shows everything drawn so far. */
bool display_flush(const DisplayClient *client);

/*
 * From the next flush on, keeps `h` rows from `y` on to those who hold the console: remote copies of the display are grey
 * there. It lasts until the next call; the part outside the display is ignored, and no rows conceal nothing. While the app is
 * not in front, rows are added only, since its picture stays what it was.
 * @returns whether the app is in front; it need not be
 */
bool display_conceal(DisplayClient *client, int32_t y, int32_t h);

#endif
