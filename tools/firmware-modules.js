/**
 * The modules of the console's program that a firmware build replaces: the console's description of itself, and the web
 * console that it brings.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { buildConsole, consoleOrLast } from "../web/build.js";
import { loadTypeScript } from "./load-typescript.js";
import { cutText } from "./text-pieces.js";

/** @typedef {import("../device/services/firmware/firmware-facts.ts").FirmwareFacts} FirmwareFacts */
/** @typedef {import("./firmware.js").FirmwareOptions} FirmwareOptions */
/**
 * @typedef {object} FirmwareModule
 * @property {string} source path of the module whose place it takes, from the root of the sources
 * @property {string} text a module of JavaScript
 */

const root = path.join(import.meta.dirname, "..");
const FACTS = "device/services/firmware/firmware-facts.ts";
const PAGE = "device/services/page/web-page.ts";

/** Whole groups of base64, whose 1458 bytes a segment of TCP takes in a usual network (MSS 1460). */
const PAGE_PIECE_CHARACTERS = 1944;

/**
 * The same sources and options give the same modules.
 *
 * @param {FirmwareOptions} options
 * @returns {Promise<readonly FirmwareModule[]>}
 */
export async function firmwareModules(options) {
  return Promise.all([factsModule(options), pageModule(options)]);
}

/** @param {FirmwareOptions} options @returns {Promise<FirmwareModule>} */
async function factsModule({ version, codename, trustedKeys, revocations, securityVersion }) {
  /** @type {{ FIRMWARE: FirmwareFacts }} */
  const { FIRMWARE } = await loadTypeScript([FACTS]);
  /** @type {FirmwareFacts} */
  const facts = {
    version,
    codename: codename ?? FIRMWARE.codename,
    ...(trustedKeys === undefined ? {} : { trustedKeys: cutText(trustedKeys) }),
    ...(revocations === undefined ? {} : { revocations: cutText(revocations) }),
    ...(securityVersion ? { securityVersion } : {}),
  };
  return { source: FACTS, text: `export const FIRMWARE = Object.freeze(${JSON.stringify(facts)});` };
}

/** @param {FirmwareOptions} options @returns {Promise<FirmwareModule>} */
async function pageModule({ isDraft = false }) {
  const files = await (isDraft ? consoleOrLast() : buildConsole());
  const members = await Promise.all(
    files.map(async (file) => `${JSON.stringify(file.path)}: ${await fileText(file)}`),
  );
  return { source: PAGE, text: `export const WEB_PAGE = Object.freeze({\n${members.join(",\n")}\n});` };
}

/** An expression. @param {import("../web/build.js").ConsoleFile} file */
async function fileText({ mediaType, compressed }) {
  const text = (await readFile(compressed)).toString("base64");
  const count = Math.ceil(text.length / PAGE_PIECE_CHARACTERS);
  const pieces = Array.from({ length: count }, (_, index) =>
    text.slice(index * PAGE_PIECE_CHARACTERS, (index + 1) * PAGE_PIECE_CHARACTERS),
  );
  const type = JSON.stringify(mediaType);
  return `Object.freeze({ mediaType: ${type}, pieces: Object.freeze(${JSON.stringify(pieces)}) })`;
}

/**
 * Puts each in its place.
 *
 * @param {readonly FirmwareModule[]} modules
 * @returns {import("esbuild").Plugin}
 */
export function firmwarePlugin(modules) {
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
