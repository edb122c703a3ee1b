/** The languages of apps. It imports nothing: `svc` reads it at each start. */

export const LANGUAGES = Object.freeze(["assemblyscript", "c", "cpp", "python", "rust", "zig"] as const);
/** `svc app new` has a template for each. */
export type Language = (typeof LANGUAGES)[number];
