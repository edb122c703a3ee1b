/*
 * Loaded before SDL into the window's program, for tests: pushes the events that lines of standard input name, as a user causes
 * them, and writes what is drawn to a file.
 *
 *     down NAME, up NAME    a key    repeat NAME    a key again, by the desktop    blur    quit    size W H
 *     pad on, pad off       a gamepad is connected, or not    pad down NAME, pad up NAME    its button    pad stick X Y
 */
#define _GNU_SOURCE
#include <SDL.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SDL_Window *window;
static SDL_Joystick *pad;

static void push_key(const char *name, Uint32 type, Uint8 repeat)
{
	SDL_Event event = { .key = { .type = type, .repeat = repeat, .keysym.sym = SDL_GetKeyFromName(name) } };
	SDL_PushEvent(&event);
}

static void push_window_event(Uint8 kind)
{
	SDL_Event event = { .window = { .type = SDL_WINDOWEVENT, .event = kind } };
	SDL_PushEvent(&event);
}

/* Waits until the window has opened it: presses before are not told. */
static void connect_pad(void)
{
	const int index = SDL_JoystickAttachVirtual(SDL_JOYSTICK_TYPE_GAMECONTROLLER, SDL_CONTROLLER_AXIS_MAX,
		SDL_CONTROLLER_BUTTON_MAX, 0);
	pad = SDL_JoystickOpen(index);
	while (!SDL_GameControllerFromInstanceID(SDL_JoystickInstanceID(pad)))
		SDL_Delay(10);
}

static void disconnect_pad(void)
{
	const SDL_JoystickID which = SDL_JoystickInstanceID(pad);
	for (int index = 0; index < SDL_NumJoysticks(); index++) {
		if (SDL_JoystickGetDeviceInstanceID(index) == which)
			SDL_JoystickDetachVirtual(index);
	}
	SDL_JoystickClose(pad);
}

static void obey_pad(const char *line)
{
	char name[32];
	int x, y;
	if (strcmp(line, "on\n") == 0)
		connect_pad();
	else if (strcmp(line, "off\n") == 0)
		disconnect_pad();
	else if (sscanf(line, "down %31s", name) == 1)
		SDL_JoystickSetVirtualButton(pad, SDL_GameControllerGetButtonFromString(name), SDL_PRESSED);
	else if (sscanf(line, "up %31s", name) == 1)
		SDL_JoystickSetVirtualButton(pad, SDL_GameControllerGetButtonFromString(name), SDL_RELEASED);
	else if (sscanf(line, "stick %d %d", &x, &y) == 2) {
		SDL_JoystickSetVirtualAxis(pad, SDL_CONTROLLER_AXIS_LEFTX, (Sint16)x);
		SDL_JoystickSetVirtualAxis(pad, SDL_CONTROLLER_AXIS_LEFTY, (Sint16)y);
	}
}

static void obey(const char *line)
{
	char name[32];
	int width, height;
	if (strncmp(line, "pad ", 4) == 0)
		obey_pad(line + 4);
	else if (sscanf(line, "down %31[^\n]", name) == 1)
		push_key(name, SDL_KEYDOWN, 0);
	else if (sscanf(line, "up %31[^\n]", name) == 1)
		push_key(name, SDL_KEYUP, 0);
	else if (sscanf(line, "repeat %31[^\n]", name) == 1)
		push_key(name, SDL_KEYDOWN, 1);
	else if (sscanf(line, "size %d %d", &width, &height) == 2)
		SDL_SetWindowSize(window, width, height);
	else if (strcmp(line, "blur\n") == 0)
		push_window_event(SDL_WINDOWEVENT_FOCUS_LOST);
	else
		SDL_PushEvent(&(SDL_Event){ .type = SDL_QUIT });
}

static void *read_lines(void *context)
{
	char line[80];
	FILE *commands = fopen(getenv("WINDOW_COMMANDS"), "r");
	(void)context;
	while (commands && fgets(line, sizeof(line), commands))
		obey(line);
	return NULL;
}

SDL_Window *SDL_CreateWindow(const char *title, int x, int y, int w, int h, Uint32 flags)
{
	SDL_Window *(*create)(const char *, int, int, int, int, Uint32) = dlsym(RTLD_NEXT, "SDL_CreateWindow");
	pthread_t thread;
	window = create(title, x, y, w, h, flags);
	pthread_create(&thread, NULL, read_lines, NULL);
	return window;
}

/* Width, height, then three bytes a pixel; the file is never half written. */
void SDL_RenderPresent(SDL_Renderer *renderer)
{
	void (*present)(SDL_Renderer *) = dlsym(RTLD_NEXT, "SDL_RenderPresent");
	const char *shown = getenv("WINDOW_SHOWN");
	char half[4096];
	int size[2];
	SDL_GetRendererOutputSize(renderer, &size[0], &size[1]);
	unsigned char *pixels = malloc((size_t)size[0] * size[1] * 3);
	SDL_RenderReadPixels(renderer, NULL, SDL_PIXELFORMAT_RGB24, pixels, size[0] * 3);
	snprintf(half, sizeof(half), "%s.half", shown);
	FILE *file = fopen(half, "wb");
	fwrite(size, sizeof(size), 1, file);
	fwrite(pixels, (size_t)size[0] * size[1], 3, file);
	fclose(file);
	rename(half, shown);
	free(pixels);
	present(renderer);
}
