/**
 * Names of apps (docs/spec/app-packages.md#app-name): 1 to 32 of `a-z A-Z 0-9 _ - .`, without a dot at either end, and none that
 * Windows takes for a device. So a name is also a safe file name on any medium: never hidden, never a path, and never
 * taken for another app's, since names that differ only in case are one name.
 */
const LENGTH_LIMIT = 32;
const PUNCTUATION = "_-.";

/** What messages say of a text that is no name. */
export const APP_NAME_RULE =
  "1 to 32 of a-z A-Z 0-9 _ - . without a dot at either end, other than device names such as con, nul and com1";

export function isAppName(name: string): boolean {
  if (name.length < 1 || name.length > LENGTH_LIMIT || name.startsWith(".")) return false;
  for (let at = 0; at < name.length; at++)
    if (!isLetterOrDigit(name.charCodeAt(at)) && !PUNCTUATION.includes(name.charAt(at))) return false;
  return isPortableFileName(name);
}

/** The only other character whose small letter is one of a to z, a part of no name. */
const KELVIN_SIGN = "\u212a";

/** The form in which names are compared, and in which they stand in paths: two spellings with the same one are one name. */
export function canonicalAppName(name: string): string {
  return name.includes(KELVIN_SIGN) ? name : name.toLowerCase();
}

export function isSameApp(one: string, other: string): boolean {
  return one === other || canonicalAppName(one) === canonicalAppName(other);
}

/**
 * Whether FAT and Windows keep a file's name as it is: both drop dots and blanks at its end, and Windows takes some names for
 * devices, also with an extension. Nothing else of the name is checked.
 */
export function isPortableFileName(name: string): boolean {
  return !name.endsWith(".") && !name.endsWith(" ") && !DEVICE.test(name);
}

const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]) *(?:\.|$)/i;

function isLetterOrDigit(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}
