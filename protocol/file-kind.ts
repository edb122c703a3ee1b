/** What kind of file bytes begin: only the kinds that can become an app. */

export type FileKind = "package" | "module" | "variant";

/** As many first bytes as tell all kinds apart. */
export const FILE_KIND_BYTES = 4;

const GZIP = Object.freeze([0x1f, 0x8b]);
const MODULE = Object.freeze([0x00, 0x61, 0x73, 0x6d]);
const VARIANT = Object.freeze([0x00, 0x61, 0x6f, 0x74]);

/** `undefined` for any other file, and for one of too few bytes (docs/spec/app-packages.md#file-kinds). */
export function fileKindOf(start: Uint8Array): FileKind | undefined {
  if (startsWith(start, GZIP)) return "package";
  if (startsWith(start, MODULE)) return "module";
  return startsWith(start, VARIANT) ? "variant" : undefined;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}
