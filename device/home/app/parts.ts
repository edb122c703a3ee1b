/**
 * Parts of the console's state that the home screen shows, a bit each. The console names by them what has changed
 * (docs/spec/home.md#state), so its own code has this file, too.
 */

/** Address and signal strength of the network, and the free memory. */
export const STATUS = 1;
export const APPS = 2;
export const FIRMWARE = 4;
/** Its address and whether it is connected. */
export const HUB = 8;
export const WIFI = 16;
export const SETTINGS = 32;
/** What seldom changes: the board, the storage, whether a USB host has the port open. */
export const SYSTEM = 64;
/** What the hub orders and the user has to decide. */
export const QUESTIONS = 128;
/** The set-up access point. */
export const SETUP = 256;
/** The parts that every console has: all but the set-up access point. */
export const EVERYWHERE = STATUS | APPS | FIRMWARE | HUB | WIFI | SETTINGS | SYSTEM | QUESTIONS;
