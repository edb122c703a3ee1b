/*
 * Draws what standard input asks for, in numbers of 32 bits: the length of a memory and the memory; then commands of 11 numbers
 * each, the function and its parameters as in the ABI. Prints a hash of the picture after each.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "display-memory.h"
#include "display.h"

enum { FILL, BLIT, TEXT, SPRITE, LINE, CIRCLE, TRIANGLE, SCROLL, CLIP };
enum { NUMBERS = 11 };

static DisplayClient app;
static uint16_t shown[DISPLAY_PIXELS];

static uint32_t hash_of_picture(void)
{
	uint32_t hash = 2166136261u;
	display_flush(&app);
	display_copy_shown(shown, true);
	for (int pixel = 0; pixel < DISPLAY_PIXELS; pixel++)
		hash = (hash ^ shown[pixel]) * 16777619u;
	return hash;
}

static void draw_sprite_of(const int32_t *p, const uint8_t *memory)
{
	const DisplaySprite sprite = {
		.sheet = memory + p[2], .sheetWidth = p[3], .sheetHeight = p[4], .width = p[5], .height = p[6],
		.number = p[7], .transparent = p[8], .flip = p[9],
	};
	if (display_has_sprite(&sprite))
		display_sprite(&app, p[0], p[1], &sprite);
}

static void draw(const int32_t *command, const uint8_t *memory)
{
	const int32_t *p = command + 1;
	const DisplayPoint points[] = { { p[0], p[1] }, { p[2], p[3] }, { p[4], p[5] } };
	switch (command[0]) {
	case FILL:
		display_fill(&app, p[0], p[1], p[2], p[3], (uint16_t)p[4]);
		break;
	case BLIT:
		display_blit(&app, p[0], p[1], p[2], p[3], memory + p[4]);
		break;
	case TEXT:
		display_text(&app, p[0], p[1], p[2], (uint16_t)p[3], (const char *)memory + p[4], p[5]);
		break;
	case SPRITE:
		draw_sprite_of(p, memory);
		break;
	case LINE:
		display_line(&app, points[0], points[1], (uint16_t)p[4]);
		break;
	case CIRCLE:
		display_circle(&app, points[0], p[2], (uint16_t)p[3], p[4] != 0);
		break;
	case TRIANGLE:
		display_triangle(&app, points, (uint16_t)p[6]);
		break;
	case SCROLL:
		display_scroll(&app, p[0], p[1]);
		break;
	default:
		display_clip(&app, p[0], p[1], p[2], p[3]);
	}
}

int main(void)
{
	int32_t length, command[NUMBERS];
	if (fread(&length, sizeof(length), 1, stdin) != 1)
		return 1;
	uint8_t *memory = malloc(length);
	if (!memory || fread(memory, length, 1, stdin) != 1)
		return 1;
	display_reset();
	display_bring_to_front(&app);
	while (fread(command, sizeof(command), 1, stdin) == 1) {
		draw(command, memory);
		printf("%08x\n", (unsigned int)hash_of_picture());
	}
	display_leave(&app);
	free(memory);
	return 0;
}
