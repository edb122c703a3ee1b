/*
 * The window of the simulated console (npm start -- --window): shows what the console's display shows, and reports which
 * buttons the user holds down. The console starts it with a socket (../native/window-messages.h) and outlives it; it ends when
 * the console does.
 *
 * A thread waits for pictures, and takes the next one only when this one has been drawn. All else is SDL's, on the main
 * thread, which sleeps until there is an event.
 */
#include <SDL.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>

#include "key-table.h"
#include "letterbox.h"
#include "lit-pixels.h"
#include "window-messages.h"

enum { INITIAL_SCALE = 2 };

static SDL_Window *window;
static SDL_Renderer *renderer;
static SDL_Texture *texture;

static WindowPicture picture;			/* between pictureEvent and pictureIsDrawn, the main thread's */
static Uint32 pictureEvent, endEvent;
static SDL_sem *pictureIsDrawn;

static SDL_Keycode keys[KEY_ROWS][KEYS_OF_ROW];
static SDL_GameControllerButton gamepadButtons[KEY_ROWS];
static SDL_GameController *gamepad;
static HeldKeys held;
static uint16_t stick;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "console: no window: %s: %s\n", what, SDL_GetError());
	exit(1);
}

static void report(WindowEventKind kind, uint16_t buttons)
{
	const WindowEvent event = { .kind = (uint16_t)kind, .buttons = buttons };
	(void)send(WINDOW_SOCKET, &event, sizeof(event), MSG_NOSIGNAL);		// without a console, the thread ends this program
}

static void report_buttons(void)
{
	static uint16_t reported;
	const uint16_t buttons = key_table_buttons(held) | stick;
	if (buttons != reported)
		report(WINDOW_BUTTONS, reported = buttons);
}

static void release_all(void)
{
	held = 0;
	stick = 0;
}

static void hold(HeldKeys bit, bool isDown)
{
	held = isDown ? held | bit : held & ~bit;
}

static void take_key(SDL_Keycode key, bool isDown)
{
	for (int row = 0; row < KEY_ROWS; row++) {
		for (int index = 0; index < KEYS_OF_ROW; index++) {
			if (keys[row][index] != SDLK_UNKNOWN && keys[row][index] == key)
				hold(key_table_bit(row, index), isDown);
		}
	}
}

static void take_gamepad_button(int button, bool isDown)
{
	for (int row = 0; row < KEY_ROWS; row++) {
		if ((int)gamepadButtons[row] == button)
			hold(key_table_bit(row, KEYS_OF_ROW), isDown);
	}
}

static void take_stick(void)
{
	stick = key_table_stick(SDL_GameControllerGetAxis(gamepad, SDL_CONTROLLER_AXIS_LEFTX),
		SDL_GameControllerGetAxis(gamepad, SDL_CONTROLLER_AXIS_LEFTY));
}

/* The first gamepad that is connected. */
static void open_gamepad(int index)
{
	if (!gamepad)
		gamepad = SDL_GameControllerOpen(index);
}

static void close_gamepad(SDL_JoystickID which)
{
	if (!gamepad || SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(gamepad)) != which)
		return;
	SDL_GameControllerClose(gamepad);
	gamepad = NULL;
	release_all();
	for (int index = 0; !gamepad && index < SDL_NumJoysticks(); index++) {
		if (SDL_IsGameController(index))
			open_gamepad(index);
	}
}

static void draw(void)
{
	int width, height;
	if (SDL_GetRendererOutputSize(renderer, &width, &height) != 0)
		return;
	const Letterbox box = letterbox(width, height, DISPLAY_WIDTH, DISPLAY_HEIGHT);
	SDL_RenderClear(renderer);
	SDL_RenderCopy(renderer, texture, NULL, &(SDL_Rect){ box.x, box.y, box.width, box.height });
	SDL_RenderPresent(renderer);
}

static void take_picture(void)
{
	static uint32_t pixels[DISPLAY_PIXELS];
	const uint32_t percent = picture.brightnessPercent <= 100 ? picture.brightnessPercent : 100;
	lit_pixels(picture.pixels, DISPLAY_PIXELS, percent, pixels);
	SDL_UpdateTexture(texture, NULL, pixels, DISPLAY_WIDTH * sizeof(*pixels));
	draw();
	SDL_SemPost(pictureIsDrawn);
}

static void take_window_event(const SDL_WindowEvent *event)
{
	switch (event->event) {
	case SDL_WINDOWEVENT_FOCUS_LOST: release_all(); break;
	case SDL_WINDOWEVENT_EXPOSED:
	case SDL_WINDOWEVENT_SIZE_CHANGED: draw(); break;
	}
}

/* @returns whether the window stays */
static bool take(const SDL_Event *event)
{
	if (event->type == pictureEvent)
		take_picture();
	switch (event->type) {
	case SDL_QUIT: report(WINDOW_CLOSED, 0); break;
	case SDL_WINDOWEVENT: take_window_event(&event->window); break;
	case SDL_KEYDOWN:
	case SDL_KEYUP:
		if (!event->key.repeat)
			take_key(event->key.keysym.sym, event->type == SDL_KEYDOWN);
		break;
	case SDL_CONTROLLERBUTTONDOWN:
	case SDL_CONTROLLERBUTTONUP:
		take_gamepad_button(event->cbutton.button, event->type == SDL_CONTROLLERBUTTONDOWN);
		break;
	case SDL_CONTROLLERAXISMOTION: take_stick(); break;
	case SDL_CONTROLLERDEVICEADDED: open_gamepad(event->cdevice.which); break;
	case SDL_CONTROLLERDEVICEREMOVED: close_gamepad(event->cdevice.which); break;
	case SDL_RENDER_TARGETS_RESET: draw(); break;
	}
	report_buttons();
	return event->type != endEvent;
}

static void push(Uint32 type)
{
	SDL_Event event = { .type = type };
	while (SDL_PushEvent(&event) < 0)		// the queue is full
		SDL_Delay(10);
}

/* The console has ended when there are no more pictures. */
static int receive_pictures(void *context)
{
	ssize_t length;
	(void)context;
	while ((length = recv(WINDOW_SOCKET, &picture, sizeof(picture), 0)) == sizeof(picture) || (length < 0 && errno == EINTR)) {
		if (length > 0) {
			push(pictureEvent);
			SDL_SemWait(pictureIsDrawn);
		}
	}
	push(endEvent);
	return 0;
}

static void find_keys(void)
{
	for (int row = 0; row < KEY_ROWS; row++) {
		for (int index = 0; index < KEYS_OF_ROW; index++) {
			const char *name = keyTable[row].keys[index];
			keys[row][index] = name ? SDL_GetKeyFromName(name) : SDLK_UNKNOWN;
			if (name && keys[row][index] == SDLK_UNKNOWN)
				fail(name);
		}
		gamepadButtons[row] = SDL_GameControllerGetButtonFromString(keyTable[row].gamepad);
		if (gamepadButtons[row] == SDL_CONTROLLER_BUTTON_INVALID)
			fail(keyTable[row].gamepad);
	}
}

static void open_window(void)
{
	const int position = SDL_WINDOWPOS_CENTERED;
	SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
	SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
	SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "nearest");
	if (SDL_Init(SDL_INIT_VIDEO | SDL_INIT_GAMECONTROLLER) != 0)
		fail("SDL cannot start");
	window = SDL_CreateWindow("svc console", position, position, DISPLAY_WIDTH * INITIAL_SCALE,
		DISPLAY_HEIGHT * INITIAL_SCALE, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
	if (!window)
		fail("it cannot be opened");
	SDL_SetWindowMinimumSize(window, DISPLAY_WIDTH, DISPLAY_HEIGHT);
	renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC);
	if (!renderer)
		fail("nothing can be drawn");
	texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING, DISPLAY_WIDTH, DISPLAY_HEIGHT);
	if (!texture)
		fail("nothing can be drawn");
	SDL_StopTextInput();		// keys are buttons: no input method takes them
}

int main(int argc, char *argv[])
{
	SDL_Event event;
	(void)argc, (void)argv;
	signal(SIGINT, SIG_IGN);		// Ctrl-C in the terminal is for the console, whose end ends the window
	open_window();
	find_keys();
	pictureEvent = SDL_RegisterEvents(2);
	endEvent = pictureEvent + 1;
	pictureIsDrawn = SDL_CreateSemaphore(0);
	if (!pictureIsDrawn || !SDL_CreateThread(receive_pictures, "pictures", NULL))
		fail("it cannot receive pictures");
	while (SDL_WaitEvent(&event) && take(&event))
		;
	SDL_Quit();
	return 0;
}
