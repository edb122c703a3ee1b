/**
 * Names of apps: 1 to 32 of `a-z A-Z 0-9 _ - .`, not starting with a dot (docs/spec/app-packages.md#manifest-fields).
 * So a name is also that of a file, and none of them is hidden or leads elsewhere.
 */
const LENGTH_LIMIT = 32;
const PUNCTUATION = "_-.";

export function isAppName(name: string): boolean {
  if (name.length < 1 || name.length > LENGTH_LIMIT || name.startsWith(".")) return false;
  for (let at = 0; at < name.length; at++)
    if (!isLetterOrDigit(name.charCodeAt(at)) && !PUNCTUATION.includes(name.charAt(at))) return false;
  return true;
}

function isLetterOrDigit(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}
