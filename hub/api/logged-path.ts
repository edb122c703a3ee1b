/**
 * Removes tokens from a path before it is logged, wherever a client put them and however they are encoded. Our ids have
 * the form of device tokens and are removed too.
 */

/** The characters of tokens, percent-encoded any number of times over. */
const ENCODED = /%(?:25)*(2d|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])/gi;
const UUID_V4 = /[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}/gi;
/** Matches any text in a token's place: a truncated or misspelt token still reveals most of it. */
const PLACES = /(\/ws\/device\/|svc[ap]_)[^/]+/gi;

/** @param url as it was asked; the query is left out */
export function loggedPath(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.replace(ENCODED, decoded).replace(UUID_V4, "…").replace(PLACES, "$1…");
}

function decoded(_text: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}
