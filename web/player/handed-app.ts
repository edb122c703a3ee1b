/**
 * How another page of this origin hands an app to the player: over a channel whose name only the two know. The player so gets a
 * package, and no token of the page's user. (The player's page is isolated from other origins, so it has no opener to talk to.)
 */

/** Path of the player, from that of the page that hands an app over; the name of the channel follows. */
export const PLAYER_PATH = "play/#app=";

/** In the player's address, behind `#app=`. */
export const CHANNEL_NAME = /^[0-9a-f]{32}$/;

export const channelOf = (name: string): string => `svc-play-${name}`;

export type FromPlayer = { readonly kind: "ready" };
export type ToPlayer =
  | { readonly kind: "wait" }
  | { readonly kind: "app"; readonly file: Uint8Array; readonly owner: string }
  | { readonly kind: "problem"; readonly message: string };
