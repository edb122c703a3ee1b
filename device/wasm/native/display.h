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

/* An app, to the display; all zero at first. Its address names it, until display_leave(). */
typedef struct DisplayClient {
	uint16_t *kept;					/* its picture while it is not in front, or NULL */
	struct DisplayClient *newerKept;	/* whose picture was kept next */
	int concealedTop, concealedBottom;	/* rows of what it draws, exclusive of the last; see display_conceal() */
} DisplayClient;

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

/*
 * Writes UTF-8 in the font of font.h, the top left corner of the first character at x and y; the background
 * stays. A line feed goes on below, at x again; nothing else breaks a line. A character that the font does not
 * have, and each byte that is not UTF-8, is a box.
 */
bool display_text(const DisplayClient *client, int32_t x, int32_t y, uint16_t rgb565, const char *text, uint32_t length);

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
