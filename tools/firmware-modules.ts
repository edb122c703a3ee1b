/**
 * The modules of the console's program that a firmware build replaces: the firmware's description of itself, and the
 * web console.
 *
 * Long texts are split into pieces. The console encodes a piece at a time in its small heap, and XS accepts no
 * literal longer than its parser's buffer (64 KiB).
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";
import { FIRMWARE, type FirmwareFacts } from "../device/services/firmware/firmware-facts.js";
import type { Fault } from "./firmware.js";
import { buildConsole, type ConsoleFile, consoleOrLast } from "./web-page.js";

interface FirmwareModule {
  /** Path of the module that it replaces, from the root of the sources. */
  readonly source: string;
  /** JavaScript. */
  readonly text: string;
}

const root = path.join(import.meta.dirname, "..");
const FACTS = "device/services/firmware/firmware-facts.ts";
const PAGE = "device/services/page/web-page.ts";

/** Whole groups of base64: 1458 bytes, which fit a TCP segment of common networks (MSS 1460). */
const PAGE_PIECE_CHARACTERS = 1944;

/** Generates the modules. The same sources and options give the same modules. */
export async function firmwareModules(options: FirmwareOptions): Promise<readonly FirmwareModule[]> {
  return Promise.all([factsModule(factsText(options)), pageModule(options)]);
}

/**
 * The same, with `facts` in place of the facts of a build.
 * @param facts a JavaScript expression
 */
export async function firmwareModulesWith(
  facts: string,
  options: Pick<FirmwareOptions, "isDraft">,
): Promise<readonly FirmwareModule[]> {
  return [factsModule(facts), await pageModule(options)];
}

function factsModule(facts: string): FirmwareModule {
  return { source: FACTS, text: `export const FIRMWARE = Object.freeze(${facts});` };
}

/** @returns the facts of a build, in JSON */
export function factsText({
  version,
  codename,
  trustedKeys,
  revocations,
  securityVersion,
}: FirmwareOptions): string {
  const facts: FirmwareFacts = {
    version,
    codename: codename ?? FIRMWARE.codename,
    ...(trustedKeys === undefined ? {} : { trustedKeys: cutText(trustedKeys) }),
    ...(revocations === undefined ? {} : { revocations: cutText(revocations) }),
    ...(securityVersion ? { securityVersion } : {}),
  };
  return JSON.stringify(facts);
}

async function pageModule({ isDraft = false }: Pick<FirmwareOptions, "isDraft">): Promise<FirmwareModule> {
  const files = await (isDraft ? consoleOrLast() : buildConsole());
  const members = await Promise.all(
    files.map(async (file) => `${JSON.stringify(file.path)}: ${await fileText(file)}`),
  );
  return { source: PAGE, text: `export const WEB_PAGE = Object.freeze({\n${members.join(",\n")}\n});` };
}

/** @returns a JavaScript expression */
async function fileText({ mediaType, compressed }: ConsoleFile): Promise<string> {
  const text = (await readFile(compressed)).toString("base64");
  const count = Math.ceil(text.length / PAGE_PIECE_CHARACTERS);
  const pieces = Array.from({ length: count }, (_, index) =>
    text.slice(index * PAGE_PIECE_CHARACTERS, (index + 1) * PAGE_PIECE_CHARACTERS),
  );
  const type = JSON.stringify(mediaType);
  return `Object.freeze({ mediaType: ${type}, pieces: Object.freeze(${JSON.stringify(pieces)}) })`;
}

/** Substitutes the generated modules in a bundle. */
export function firmwarePlugin(modules: readonly FirmwareModule[]): Plugin {
  const texts = new Map(modules.map(({ source, text }) => [path.join(root, source), text]));
  return {
    name: "firmware-modules",
    setup({ onLoad }) {
      onLoad({ filter: /\/(firmware-facts|web-page)\.ts$/ }, ({ path: file }) => {
        const contents = texts.get(file);
        return contents === undefined ? undefined : { contents, loader: "js" };
      });
    },
  };
}

export interface FirmwareOptions {
  /** MAJOR.MINOR.PATCH. */
  readonly version: string;
  /** Default: that of the sources. */
  readonly codename?: string | undefined;
  /** PEM of keys to trust once the firmware is confirmed. */
  readonly trustedKeys?: string | undefined;
  /** List of revoked keys in base64, applied once the firmware is confirmed. */
  readonly revocations?: string | undefined;
  /** Default: 0. */
  readonly securityVersion?: number | undefined;
  /** Default: the simulated console. */
  readonly board?: string | undefined;
  /** Uses the last build of the web console if the present sources do not build. */
  readonly isDraft?: boolean | undefined;
  /** Builds a program with this fault instead of the console's. */
  readonly fault?: Fault | undefined;
}

export const PIECE_BYTES = 1024;

/** Longest code point in UTF-8. */
const CODE_POINT_BYTES = 4;
const longLine = new RegExp(`.{1,${PIECE_BYTES / CODE_POINT_BYTES}}`, "gsu");

/**
 * Splits text at line ends, and within a line only if it is longer than a piece.
 * @returns pieces of at most {@link PIECE_BYTES} in UTF-8; joined, they are `text`
 */
export function cutText(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const part of text.split(/(?<=\n)/).flatMap(cutLine)) {
    if (Buffer.byteLength(piece + part) > PIECE_BYTES) {
      pieces.push(piece);
      piece = "";
    }
    piece += part;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

function cutLine(line: string): string[] {
  return Buffer.byteLength(line) <= PIECE_BYTES ? [line] : (line.match(longLine) ?? []);
}
