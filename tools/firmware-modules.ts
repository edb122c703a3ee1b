/**
 * The modules of the console's program that a firmware build replaces: the console's description of itself, and the web
 * console that it brings.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";
import { FIRMWARE, type FirmwareFacts } from "../device/services/firmware/firmware-facts.js";
import type { Fault } from "./faults.js";
import { cutText } from "./text-pieces.js";
import { buildConsole, type ConsoleFile, consoleOrLast } from "./web-page.js";

interface FirmwareModule {
  /** Path of the module whose place it takes, from the root of the sources. */
  readonly source: string;
  /** A module of JavaScript. */
  readonly text: string;
}

const root = path.join(import.meta.dirname, "..");
const FACTS = "device/services/firmware/firmware-facts.ts";
const PAGE = "device/services/page/web-page.ts";

/** Whole groups of base64, whose 1458 bytes a segment of TCP takes in a usual network (MSS 1460). */
const PAGE_PIECE_CHARACTERS = 1944;

/** The same sources and options give the same modules. */
export async function firmwareModules(options: FirmwareOptions): Promise<readonly FirmwareModule[]> {
  return Promise.all([factsModule(options), pageModule(options)]);
}

async function factsModule({
  version,
  codename,
  trustedKeys,
  revocations,
  securityVersion,
}: FirmwareOptions): Promise<FirmwareModule> {
  const facts: FirmwareFacts = {
    version,
    codename: codename ?? FIRMWARE.codename,
    ...(trustedKeys === undefined ? {} : { trustedKeys: cutText(trustedKeys) }),
    ...(revocations === undefined ? {} : { revocations: cutText(revocations) }),
    ...(securityVersion ? { securityVersion } : {}),
  };
  return { source: FACTS, text: `export const FIRMWARE = Object.freeze(${JSON.stringify(facts)});` };
}

async function pageModule({ isDraft = false }: FirmwareOptions): Promise<FirmwareModule> {
  const files = await (isDraft ? consoleOrLast() : buildConsole());
  const members = await Promise.all(
    files.map(async (file) => `${JSON.stringify(file.path)}: ${await fileText(file)}`),
  );
  return { source: PAGE, text: `export const WEB_PAGE = Object.freeze({\n${members.join(",\n")}\n});` };
}

/** An expression. */
async function fileText({ mediaType, compressed }: ConsoleFile): Promise<string> {
  const text = (await readFile(compressed)).toString("base64");
  const count = Math.ceil(text.length / PAGE_PIECE_CHARACTERS);
  const pieces = Array.from({ length: count }, (_, index) =>
    text.slice(index * PAGE_PIECE_CHARACTERS, (index + 1) * PAGE_PIECE_CHARACTERS),
  );
  const type = JSON.stringify(mediaType);
  return `Object.freeze({ mediaType: ${type}, pieces: Object.freeze(${JSON.stringify(pieces)}) })`;
}

/** Puts each in its place. */
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
  /** Left out: that of the sources. */
  readonly codename?: string | undefined;
  /** PEM, to be trusted once the firmware is confirmed. */
  readonly trustedKeys?: string | undefined;
  /** List of revoked keys in base64, to be taken once the firmware is confirmed. */
  readonly revocations?: string | undefined;
  /** Left out: 0. */
  readonly securityVersion?: number | undefined;
  /** Left out: the simulated console. */
  readonly board?: string | undefined;
  /** Takes the web console that was built last where the present one does not build. */
  readonly isDraft?: boolean | undefined;
  /** A program that is broken in this way, in place of the console's. */
  readonly fault?: Fault | undefined;
}
