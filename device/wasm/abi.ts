/**
 * The table of the app ABI (docs/spec/app-abi-and-quotas.md): the functions that apps import from the module `svc`.
 * All other descriptions derive from it: the engine's C call table, the import check, the SDK's C header and
 * AssemblyScript bindings, and the reference.
 *
 * Every parameter is one Wasm value. `bytes` names the parameters that describe a range of the app's memory. The
 * engine checks these ranges before the call does anything; a range out of bounds traps. An app may declare a function
 * without its result.
 */
import { type AbiCapability, FIRMWARE_CAPABILITY } from "../../protocol/capabilities.js";

/** The import module of every ABI function. */
export const ABI_MODULE = "svc";

export interface AbiFunction {
  readonly name: string;
  /** Capability that the app's manifest must declare; `undefined` if the function needs none. */
  readonly capability?: AbiCapability;
  /** Names of the parameters, all `i32`, in order. */
  readonly parameters: readonly string[];
  /** Ranges of the app's memory that the call reads or writes. */
  readonly bytes?: readonly MemoryRange[];
  readonly result: "i32" | "i64";
  /** `app`: in C on the app's own thread. `console`: in a service, while the app blocks. */
  readonly runsOn: "app" | "console";
  readonly summary: string;
}

export interface MemoryRange {
  /** Name of the parameter that holds the address. */
  readonly pointer: string;
  /** Parameters whose product, times `unitBytes` (default 1), is the length in bytes. Negative ones trap. */
  readonly length: readonly string[];
  readonly unitBytes?: number;
  readonly access: "read" | "write";
  /** The bytes are text; bindings accept a string. */
  readonly isText?: true;
  /** The units are signed numbers. */
  readonly isSigned?: true;
}

function text(pointer: string, length: string): MemoryRange {
  return { pointer, length: [length], access: "read", isText: true };
}

function data(pointer: string, length: string): MemoryRange {
  return { pointer, length: [length], access: "read" };
}

function room(pointer: string, length: string): MemoryRange {
  return { pointer, length: [length], access: "write" };
}

/** Error results: an ABI function that returns a value below 0 has failed. */
export const ABI_ERRORS = Object.freeze([
  { constant: "SVC_ERROR_NOT_PERMITTED", value: -1, summary: "Not permitted" },
  { constant: "SVC_ERROR_NOT_FOUND", value: -2, summary: "Not found" },
  { constant: "SVC_ERROR_IO", value: -5, summary: "Input or output failed" },
  { constant: "SVC_ERROR_MEMORY", value: -12, summary: "Out of memory" },
  { constant: "SVC_ERROR_BUSY", value: -16, summary: "Busy" },
  { constant: "SVC_ERROR_NO_HARDWARE", value: -19, summary: "No such hardware" },
  { constant: "SVC_ERROR_INVALID", value: -22, summary: "Invalid argument" },
  { constant: "SVC_ERROR_NO_SPACE", value: -28, summary: "No space" },
  { constant: "SVC_ERROR_NOT_SUPPORTED", value: -38, summary: "Not supported" },
] as const);

/** Buttons in the order of their bits in the result of `buttons()`, from bit 0. */
export const BUTTONS = Object.freeze([
  ...(["up", "down", "left", "right", "a", "b", "x", "y", "start", "select"] as const),
]);

/** Shapes of a wave in the order of their numbers in `sound_tone()`, from 0. */
export const SOUND_SHAPES = Object.freeze([...(["square", "triangle", "sawtooth", "noise"] as const)]);

export const ABI: readonly AbiFunction[] = Object.freeze([
  {
    name: "log",
    parameters: ["level", "ptr", "len"],
    bytes: [text("ptr", "len")],
    result: "i32",
    runsOn: "app",
    summary: "Writes a line to the console's log. Levels: 0 debug, 1 info, 2 warning, 3 error.",
  },
  {
    name: "uptime_ms",
    parameters: [],
    result: "i64",
    runsOn: "app",
    summary: "Milliseconds since the console started.",
  },
  {
    name: "clock_ms",
    parameters: [],
    result: "i64",
    runsOn: "console",
    summary: "Milliseconds since 1970 in UTC, or -16 while the console does not know the time.",
  },
  {
    name: "clock_offset",
    parameters: [],
    result: "i32",
    runsOn: "console",
    summary: "Minutes by which local time is ahead of UTC, as the user has set them; 0 at first.",
  },
  {
    name: "sleep_ms",
    parameters: ["ms"],
    result: "i32",
    runsOn: "app",
    summary: "Sleeps. A negative time is -22.",
  },
  {
    name: "random",
    parameters: ["ptr", "len"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "app",
    summary: "Fills memory with cryptographically secure random bytes.",
  },
  {
    name: "exit",
    parameters: ["code"],
    result: "i32",
    runsOn: "app",
    summary: "Ends the app. Does not return.",
  },
  {
    name: "stack_left",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary:
      "Bytes left of the app's stack, beyond which a call traps. For runtimes that end recursion of a script before.",
  },
  {
    name: "script_size",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary: "Bytes of the custom section `svc_py_script`, or -2 if the module has none.",
  },
  {
    name: "script_read",
    parameters: ["ptr", "offset", "len"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "app",
    summary: "Copies a part of the script. Returns the bytes copied, fewer than asked only at its end.",
  },
  {
    name: "display_width",
    capability: "display.write",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary: "Pixels in a row.",
  },
  {
    name: "display_height",
    capability: "display.write",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary: "Rows of the display.",
  },
  {
    name: "display_fill",
    capability: "display.write",
    parameters: ["x", "y", "w", "h", "rgb565"],
    result: "i32",
    runsOn: "app",
    summary: "Fills a rectangle, clipped to the display; -16 unless the app is in front.",
  },
  {
    name: "display_blit",
    capability: "display.write",
    parameters: ["x", "y", "w", "h", "ptr"],
    bytes: [{ pointer: "ptr", length: ["w", "h"], unitBytes: 2, access: "read" }],
    result: "i32",
    runsOn: "app",
    summary:
      "Copies pixels (RGB565, little-endian, row by row), clipped to the display; -16 unless the app is in front.",
  },
  {
    name: "display_text",
    capability: "display.write",
    parameters: ["x", "y", "rgb565", "ptr", "len"],
    bytes: [text("ptr", "len")],
    result: "i32",
    runsOn: "app",
    summary:
      "Writes text in the console's 8 by 16 font, its top left corner at x and y; -16 unless the app is in front.",
  },
  {
    name: "display_large_text",
    capability: "display.write",
    parameters: ["x", "y", "scale", "rgb565", "ptr", "len"],
    bytes: [text("ptr", "len")],
    result: "i32",
    runsOn: "app",
    summary:
      "Writes text in the same font, each of its pixels 1 to 4 pixels wide and high; -22 for another scale.",
  },
  {
    name: "display_sprite",
    capability: "display.write",
    parameters: ["x", "y", "sheet", "sheet_w", "sheet_h", "w", "h", "number", "transparent", "flip"],
    bytes: [{ pointer: "sheet", length: ["sheet_w", "sheet_h"], unitBytes: 2, access: "read" }],
    result: "i32",
    runsOn: "app",
    summary:
      "Copies one of the parts, w by h pixels, of a picture, numbered from 0 in rows from left to right, but for pixels of the colour `transparent` (-1: none). `flip` is 1 for left and right, 2 for up and down, 3 for both. -22 for a part that is not there.",
  },
  {
    name: "display_line",
    capability: "display.write",
    parameters: ["x0", "y0", "x1", "y1", "rgb565"],
    result: "i32",
    runsOn: "app",
    summary: "Draws a line with both ends; -22 for coordinates that are not within 32767 of 0.",
  },
  {
    name: "display_circle",
    capability: "display.write",
    parameters: ["x", "y", "r", "rgb565", "filled"],
    result: "i32",
    runsOn: "app",
    summary:
      "Draws a circle, 2 r + 1 pixels wide: its edge, or all of it where `filled` is not 0; -22 for coordinates that are not within 32767 of 0, and for a negative radius.",
  },
  {
    name: "display_triangle",
    capability: "display.write",
    parameters: ["x0", "y0", "x1", "y1", "x2", "y2", "rgb565"],
    result: "i32",
    runsOn: "app",
    summary: "Fills a triangle, edges included; -22 for coordinates that are not within 32767 of 0.",
  },
  {
    name: "display_scroll",
    capability: "display.write",
    parameters: ["dx", "dy"],
    result: "i32",
    runsOn: "app",
    summary: "Moves what was drawn; pixels that come from outside the clip stay as they are.",
  },
  {
    name: "display_clip",
    capability: "display.write",
    parameters: ["x", "y", "w", "h"],
    result: "i32",
    runsOn: "app",
    summary:
      "From now on, what the app draws is clipped to this rectangle, too; at first, it is the display.",
  },
  {
    name: "display_flush",
    capability: "display.write",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary: "Shows what was drawn; -16 unless the app is in front.",
  },
  {
    name: "gpio_read",
    capability: "gpio.read",
    parameters: ["pin"],
    result: "i32",
    runsOn: "app",
    summary: "Level of a pin, 0 or 1.",
  },
  {
    name: "adc_read",
    capability: "gpio.read",
    parameters: ["pin"],
    result: "i32",
    runsOn: "app",
    summary:
      "Millivolts at a pin, from 0 to about 3300; -1 if the pin is not an input, -19 if it has no converter.",
  },
  {
    name: "i2c_read",
    capability: "gpio.read",
    parameters: ["address", "register", "ptr", "len"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "app",
    summary:
      "Reads 1 to 256 bytes of a device on the I2C bus, from a register on (-1: without naming one), and returns 0; -2 if no device answers, -19 without a bus.",
  },
  {
    name: "buttons",
    capability: "gpio.read",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary:
      "Buttons that are down, a bit each: up, down, left, right, A, B, X, Y, start, select; none unless the app is in front.",
  },
  {
    name: "buttons_pressed",
    capability: "gpio.read",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary:
      "Buttons that have gone down since the last call, or since the app came to the front, a bit each as in `buttons`: also those that are up again.",
  },
  {
    name: "buttons_released",
    capability: "gpio.read",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary: "Buttons that have gone up since the last call, or since the app came to the front, a bit each.",
  },
  {
    name: "gpio_mode",
    capability: "gpio.write",
    parameters: ["pin", "mode"],
    result: "i32",
    runsOn: "app",
    summary: "Makes a pin an input (0), an input pulled up (1) or down (2), or an output (3).",
  },
  {
    name: "gpio_write",
    capability: "gpio.write",
    parameters: ["pin", "level"],
    result: "i32",
    runsOn: "app",
    summary: "Sets an output pin to 0 or 1; -1 if the pin is not an output.",
  },
  {
    name: "pwm_write",
    capability: "gpio.write",
    parameters: ["pin", "hz", "duty"],
    result: "i32",
    runsOn: "app",
    summary:
      "Makes a pin an output with 10 to 40000 pulses a second, each high for `duty` of 65535 parts; `gpio_mode` ends them. -28 if as many pins have pulses as the console can make.",
  },
  {
    name: "i2c_write",
    capability: "gpio.write",
    parameters: ["address", "ptr", "len"],
    bytes: [data("ptr", "len")],
    result: "i32",
    runsOn: "app",
    summary:
      "Writes up to 256 bytes to a device on the I2C bus, and returns 0; -2 if no device answers, -19 without a bus. Without bytes, it finds out whether a device answers.",
  },
  {
    name: "sound_tone",
    capability: "sound.play",
    parameters: ["voice", "from_hz", "to_hz", "ms", "volume", "shape"],
    result: "i32",
    runsOn: "app",
    summary:
      "Plays a tone in place of what this voice (0 to 3) plays, sliding from one frequency (20 to 8000) to the other, for up to 60000 ms at a volume of 0 to 100; 0 ms ends it. Shapes: 0 square, 1 triangle, 2 sawtooth, 3 noise. -16 unless the app is in front; -19 without a loudspeaker.",
  },
  {
    name: "sound_play",
    capability: "sound.play",
    parameters: ["samples", "count"],
    bytes: [{ pointer: "samples", length: ["count"], unitBytes: 2, access: "read", isSigned: true }],
    result: "i32",
    runsOn: "app",
    summary:
      "Queues samples (16 bits, signed, little-endian, 16000 a second) and returns how many were taken: as many as there is room for in a queue of 4096. -16 unless the app is in front; -19 without a loudspeaker.",
  },
  {
    name: "sound_stop",
    capability: "sound.play",
    parameters: [],
    result: "i32",
    runsOn: "app",
    summary:
      "Ends every tone and drops the queued samples; -16 unless the app is in front; -19 without a loudspeaker.",
  },
  {
    name: "storage_size",
    capability: "storage.read",
    parameters: ["key", "key_len"],
    bytes: [text("key", "key_len")],
    result: "i32",
    runsOn: "console",
    summary: "Bytes stored under a key, or -2.",
  },
  {
    name: "storage_read",
    capability: "storage.read",
    parameters: ["key", "key_len", "offset", "ptr", "len"],
    bytes: [text("key", "key_len"), room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Copies a part of the stored value. Returns the bytes copied, fewer than asked only at its end.",
  },
  {
    name: "storage_list",
    capability: "storage.read",
    parameters: ["ptr", "len"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Fills memory with the keys in alphabetical order, each with a line feed after it, and returns their whole length, which may be more than `len`.",
  },
  {
    name: "storage_write",
    capability: "storage.write",
    parameters: ["key", "key_len", "ptr", "len"],
    bytes: [text("key", "key_len"), data("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Stores a value under a key in one step and returns 0; -28 past the app's 64 KiB.",
  },
  {
    name: "storage_write_at",
    capability: "storage.write",
    parameters: ["key", "key_len", "offset", "ptr", "len"],
    bytes: [text("key", "key_len"), data("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Writes a part of a value in place, from `offset` on (-1: from its end on), and returns 0; creates a key that is not there. -22 for an offset past the end, -28 past the app's 64 KiB.",
  },
  {
    name: "storage_delete",
    capability: "storage.write",
    parameters: ["key", "key_len"],
    bytes: [text("key", "key_len")],
    result: "i32",
    runsOn: "console",
    summary: "Deletes a key; -2 if there is none.",
  },
  {
    name: "card_size",
    capability: "storage.read",
    parameters: ["path", "path_len"],
    bytes: [text("path", "path_len")],
    result: "i32",
    runsOn: "console",
    summary: "Bytes of a file in the app's directory on the SD card, or -2; -19 without a card.",
  },
  {
    name: "card_read",
    capability: "storage.read",
    parameters: ["path", "path_len", "offset", "ptr", "len"],
    bytes: [text("path", "path_len"), room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Copies a part of a file on the SD card, at most 16384 bytes. Returns the bytes copied, fewer only at its end; -5 if the card is removed meanwhile.",
  },
  {
    name: "card_list",
    capability: "storage.read",
    parameters: ["path", "path_len", "ptr", "len"],
    bytes: [text("path", "path_len"), room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Fills memory with up to 64 names in a directory on the SD card (an empty path: the app's own), each with a line feed after it, those of directories with a slash before that. Returns their whole length, which may be more than `len`.",
  },
  {
    name: "card_write",
    capability: "storage.write",
    parameters: ["path", "path_len", "offset", "ptr", "len"],
    bytes: [text("path", "path_len"), data("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Writes to a file in the app's directory on the SD card, from `offset` on (-1: from its end on), and returns how many bytes it wrote: at most 2048. Creates a file that is not there. -22 for an offset past the end, -28 if the card or the directory is full.",
  },
  {
    name: "card_delete",
    capability: "storage.write",
    parameters: ["path", "path_len"],
    bytes: [text("path", "path_len")],
    result: "i32",
    runsOn: "console",
    summary: "Deletes a file in the app's directory on the SD card; -2 if there is none.",
  },
  {
    name: "net_connect",
    capability: "network.use",
    parameters: ["host", "host_len", "port"],
    bytes: [text("host", "host_len")],
    result: "i32",
    runsOn: "console",
    summary: "Opens a TCP connection and returns its handle.",
  },
  {
    name: "net_send",
    capability: "network.use",
    parameters: ["handle", "ptr", "len"],
    bytes: [data("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Sends bytes and returns how many were taken.",
  },
  {
    name: "net_receive",
    capability: "network.use",
    parameters: ["handle", "ptr", "len", "timeout_ms"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Waits for bytes and returns how many arrived: 0 after the peer closed, -16 after the timeout.",
  },
  {
    name: "net_close",
    capability: "network.use",
    parameters: ["handle"],
    result: "i32",
    runsOn: "console",
    summary: "Closes a connection.",
  },
  {
    name: "http_request",
    capability: "network.use",
    parameters: ["ptr", "len"],
    bytes: [text("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Sends an HTTP request and returns its handle, at once. The text, at most 4096 bytes, is a line such as `GET https://example.com/`, then lines of fields, then an empty line and the body. -22 for anything else; -28 beyond 2 at a time, of all apps; -38 for https without TLS.",
  },
  {
    name: "http_status",
    capability: "network.use",
    parameters: ["handle", "timeout_ms"],
    result: "i32",
    runsOn: "console",
    summary:
      "Waits for the answer and returns its status; -16 after the timeout, -5 if none comes, -1 at the console itself. Redirects are not followed.",
  },
  {
    name: "http_field",
    capability: "network.use",
    parameters: ["handle", "name", "name_len", "ptr", "len"],
    bytes: [text("name", "name_len"), room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Fills memory with the value of a field of the answer and returns its whole length, which may be more than `len`; -2 if there is none.",
  },
  {
    name: "http_read",
    capability: "network.use",
    parameters: ["handle", "ptr", "len", "timeout_ms"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Waits for bytes of the answer's body and returns how many arrived: 0 at its end, -16 after the timeout, -5 if the answer breaks off.",
  },
  {
    name: "http_close",
    capability: "network.use",
    parameters: ["handle"],
    result: "i32",
    runsOn: "console",
    summary: "Ends a request, and frees its handle.",
  },
  {
    name: "ble_advertise",
    capability: "ble.use",
    parameters: ["name", "name_len"],
    bytes: [text("name", "name_len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Advertises a name of 1 to 26 bytes until the app ends; -16 if another app advertises, -19 if the console has no Bluetooth.",
  },
  {
    name: "ble_stop",
    capability: "ble.use",
    parameters: [],
    result: "i32",
    runsOn: "console",
    summary: "Stops advertising; -2 if the app does not.",
  },
  {
    name: "app_start",
    capability: "app.control",
    parameters: ["name", "len"],
    bytes: [text("name", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Starts an app; -2 if there is none, -16 if it runs or too many do.",
  },
  {
    name: "app_stop",
    capability: "app.control",
    parameters: ["name", "len"],
    bytes: [text("name", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Stops an app, possibly itself; -2 if no app of that name runs.",
  },
  {
    name: "app_list",
    capability: "app.control",
    parameters: ["ptr", "len"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary:
      "Fills memory with the list of apps in JSON and returns its whole length, which may be more than `len`.",
  },
  {
    name: "display_conceal",
    capability: FIRMWARE_CAPABILITY,
    parameters: ["y", "h"],
    result: "i32",
    runsOn: "app",
    summary:
      "From the next flush on, shows these rows to those who hold the console only; -16 unless the app is in front.",
  },
  {
    name: "console_request",
    capability: FIRMWARE_CAPABILITY,
    parameters: ["ptr", "len"],
    bytes: [text("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Sends a request of the management API, such as `GET /api/apps/list`, and returns the status.",
  },
  {
    name: "console_read",
    capability: FIRMWARE_CAPABILITY,
    parameters: ["ptr", "len"],
    bytes: [room("ptr", "len")],
    result: "i32",
    runsOn: "console",
    summary: "Copies the next bytes of the answer and returns how many: 0 at its end.",
  },
  {
    name: "console_changes",
    capability: FIRMWARE_CAPABILITY,
    parameters: [],
    result: "i32",
    runsOn: "console",
    summary: "Tells which parts of the console's state have changed since it was called last, a bit each.",
  },
]);
