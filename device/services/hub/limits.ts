/** Limits of the console's side of the hub, each with its reason. */
import type { Backoff } from "../../../hub-client/backoff.js";

/**
 * Commands that wait or run. The results of all of them are kept, so that none is done twice; what comes beyond is left
 * out, and asked for again.
 */
export const COMMANDS_LIMIT = 8;

/**
 * Characters that commands keep which wait or run; one alone may have more. Eight usual ones have 2,000, and eight with
 * the longest addresses had a quarter of the heap.
 */
export const COMMANDS_CHARACTERS_LIMIT = 4096;

/** Before the hub is asked again for what it has said while there was no room to read it. */
export const LEFT_OUT_AGAIN_MS = 10_000;

/** Results that are kept: more than can be lost with one connection. All of them fit one setting. */
export const RESULTS_LIMIT = 2 * COMMANDS_LIMIT;

/** Ids are UUIDs. A longer one may be an attacker's, and would fill the setting that the results are in. */
export const COMMAND_ID_LIMIT = 64;

/** A setting has 3999 bytes (`ports/key-value.ts`), and the note of a firmware command has to fit. */
export const DOWNLOAD_URL_LIMIT = 2048;

/** Before a command is tried again that could not be carried out yet. */
export const COMMAND_BACKOFF: Backoff = Object.freeze({ firstMs: 1000, lastMs: 300_000 });

/** How often trouble is taken for a passing one, where it may as well stay. */
export const DOUBTFUL_TRIES = 5;

/** Before a message is offered again that the channel did not take. */
export const TELL_AGAIN_MS = 1000;

/** Hubs whose tokens are kept (docs/spec/device-hub.md#token-per-hub). All of them fit one setting. */
export const HUB_TOKENS_LIMIT = 8;

/** Between two rotations of the token, each of which is written to flash and connects anew. */
export const ROTATION_INTERVAL_MS = 10_000;

/** From a change of the apps to the report: an update stops an app, replaces it and starts it. */
export const APPS_REPORT_DELAY_MS = 500;

/** Text of `device.apps` that is sent at a time: some five apps, and less than a TCP segment. */
export const APPS_PIECE_CHARACTERS = 512;
