/**
 * Bundles the player (`web/player`): the page that runs apps in the browser, and the script of its worker, which contains the
 * console's font and the sandboxed programs that check apps.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";
import { bundledPage, writePage } from "./bundled-page.js";
import { consoleFont } from "./console-font.js";
import { PLAYER_DIRECTORY, PLAYER_FILES, type PlayerFileKind } from "./player-files.js";
import { buildProgram } from "./sandbox.js";

const SOURCES = path.join(import.meta.dirname, "../web/player");

export interface PlayerFile extends PlayerFileKind {
  readonly body: Uint8Array;
}

/** @throws {Error} with the bundler's message */
export function playerFiles(): Promise<readonly PlayerFile[]> {
  const entryPoints = { player: "main.tsx", "app-worker": "app-worker.ts" };
  return bundledPage({ directory: SOURCES, entryPoints, plugins: [embeddedBytes] }, PLAYER_FILES);
}

/** Writes the player to `build/player`, for the hub. @throws {Error} with the bundler's message */
export async function buildPlayer(): Promise<void> {
  await writePage(PLAYER_DIRECTORY, await playerFiles());
}

/** `svc:console-font` and `svc:sandbox/NAME`, as bytes. */
const embeddedBytes: Plugin = {
  name: "embedded-bytes",
  setup(bundler) {
    bundler.onResolve({ filter: /^svc:/ }, ({ path: name }) => ({ path: name, namespace: "embedded-bytes" }));
    bundler.onLoad({ filter: /.*/, namespace: "embedded-bytes" }, async ({ path: name }) => ({
      contents: await bytesOf(name),
      loader: "binary",
    }));
  },
};

async function bytesOf(name: string): Promise<Uint8Array> {
  if (name === "svc:console-font") return consoleFont();
  const [, program = ""] = /^svc:sandbox\/(.+)$/.exec(name) ?? [];
  return readFile(await buildProgram(program));
}

if (process.argv[1] === import.meta.filename)
  await buildPlayer().then(
    () => process.stdout.write(`${path.relative("", PLAYER_DIRECTORY)}\n`),
    ({ message }) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    },
  );
