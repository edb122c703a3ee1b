/**
 * The modules of the console's program that a firmware build replaces: the firmware's description of itself, the web
 * console and the home screen.
 *
 * Long texts are split into pieces: XS accepts no literal longer than its parser's buffer (64 KiB), and the console encodes
 * a piece of its keys at a time in its small heap.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";
import { FIRMWARE, type FirmwareFacts } from "../../device/services/firmware/firmware-facts.js";
import { buildHome } from "../../tools/home-app.js";
import { buildConsole, type ConsoleFile, consoleOrLast } from "../../tools/web-page.js";
import type { Fault } from "./firmware.js";

interface FirmwareModule {
  /** Path of the module that it replaces, from the root of the sources. */
  readonly source: string;
  /** JavaScript. */
  readonly text: string;
}

const root = path.join(import.meta.dirname, "../..");
const FACTS = "device/services/firmware/firmware-facts.ts";
const PAGE = "device/services/page/web-page.ts";
const HOME = "device/services/home/home-app.ts";

/** Module of the sources that only a built page imports, from the page's folder. */
export const PAGE_DECODER = "device/services/page/decode-page.ts";

const WORD_BYTES = 4;
/** A piece is text of at most 11 characters a word. */
const PAGE_PIECE_WORDS = 4096;

/** Generates the modules. The same sources and options give the same modules. */
export async function firmwareModules(options: FirmwareOptions): Promise<readonly FirmwareModule[]> {
  return Promise.all([factsModule(factsText(options)), pageModule(options), homeModule()]);
}

/**
 * The same, with `facts` in place of the facts of a build.
 * @param facts a JavaScript expression
 */
export async function firmwareModulesWith(
  facts: string,
  options: Pick<FirmwareOptions, "isDraft">,
): Promise<readonly FirmwareModule[]> {
  return [factsModule(facts), await pageModule(options), await homeModule()];
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
  const imports = `import { decodePage } from "./${path.basename(PAGE_DECODER, ".ts")}.js";`;
  const page = `export const WEB_PAGE = Object.freeze({\n${members.join(",\n")}\n});`;
  return { source: PAGE, text: `${imports}\n${page}` };
}

async function homeModule(): Promise<FirmwareModule> {
  const { module, nestedBlocks, memoryQuotaBytes } = await buildHome();
  const decoder = path.relative(path.dirname(HOME), PAGE_DECODER).replace(/\.ts$/, ".js");
  const imports = `import { decodePage } from "${decoder}";`;
  const facts = `nestedBlocks: ${nestedBlocks}, memoryQuotaBytes: ${memoryQuotaBytes}`;
  const home = `export const HOME_APP = Object.freeze({ module: ${bytesText(module)}, ${facts} });`;
  return { source: HOME, text: `${imports}\n${home}` };
}

/** @returns a JavaScript expression */
async function fileText({ mediaType, compressed }: ConsoleFile): Promise<string> {
  const content = bytesText(await readFile(compressed));
  return `Object.freeze({ mediaType: ${JSON.stringify(mediaType)}, content: ${content} })`;
}

/** @returns a JavaScript expression that calls `decodePage` */
function bytesText(bytes: Uint8Array): string {
  const words = wordsOf(bytes);
  const count = Math.ceil(words.length / PAGE_PIECE_WORDS);
  const pieces = Array.from({ length: count }, (_, index) =>
    JSON.stringify(words.slice(index * PAGE_PIECE_WORDS, (index + 1) * PAGE_PIECE_WORDS)),
  );
  return `decodePage(${JSON.stringify(pieces)}, ${bytes.length})`;
}

/** Words of 32 bits, the last one filled up with zeros (`decode-page.ts`). */
export function wordsOf(bytes: Uint8Array): number[] {
  const whole = Buffer.concat([bytes, Buffer.alloc(-bytes.length & (WORD_BYTES - 1))]);
  return Array.from({ length: whole.length / WORD_BYTES }, (_, index) =>
    whole.readUInt32LE(index * WORD_BYTES),
  );
}

/** Substitutes the generated modules in a bundle. */
export function firmwarePlugin(modules: readonly FirmwareModule[]): Plugin {
  const texts = new Map(modules.map(({ source, text }) => [path.join(root, source), text]));
  return {
    name: "firmware-modules",
    setup({ onLoad }) {
      onLoad({ filter: /\/(firmware-facts|web-page|home-app)\.ts$/ }, ({ path: file }) => {
        const contents = texts.get(file);
        return contents === undefined
          ? undefined
          : { contents, loader: "js", resolveDir: path.dirname(file) };
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
