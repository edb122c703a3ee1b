/** A simulated console that trusts a test publisher, with shortcuts to the endpoints for apps. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { boardUnderTest, isBoard } from "./board.js";
import { askHttp, askShell, getJson } from "./http-client.js";
import { Publisher } from "./publisher.js";
import { type Console, type ConsoleOptions, startConsole } from "./simulator.js";

export interface AppConsole extends Console {
  readonly publisher: Publisher;
  /** Returns the answer of `GET /api/apps/list`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  apps(): Promise<any[]>;
  /** Sends `POST /api/apps/<verb>?name=…`. */
  app(verb: "start" | "stop" | "front" | "uninstall", name?: string): ReturnType<typeof askHttp>;
  /** Returns state that a rejected install must not change: the list of apps, free space and installed files. */
  trace(): Promise<unknown>;
  /** Runs a shell command and returns its output. */
  shell(line: string): Promise<string>;
  /** Polls the list entry of the app `name` until `holds` returns true. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  until(holds: (entry: any) => boolean, name?: string): Promise<any>;
}

const LIMIT_MS = 60_000;

export async function startAppConsole(
  options: ConsoleOptions & { readonly publisher?: Publisher; readonly roles?: string } = {},
): Promise<AppConsole> {
  const { publisher = new Publisher(boardUnderTest?.key), roles, ...rest } = options;
  const state = options.state ?? mkdtempSync(path.join(tmpdir(), "console-"));
  if (!isBoard) publisher.becomeTrusted(state, roles); // a board trusts the keys that its firmware brought
  const started = await startConsole({ ...rest, state });
  const apps = () => getJson(`${started.http}/api/apps/list`);
  return {
    ...started,
    stop: async () => {
      const status = await started.stop();
      if (options.state === undefined) rmSync(state, { recursive: true, force: true });
      return status;
    },
    publisher,
    apps,
    app: (verb, name = "tetris") =>
      askHttp(`${started.http}/api/apps/${verb}?name=${encodeURIComponent(name)}`, { method: "POST" }),
    trace: async () => ({
      list: await apps(),
      free: (await getJson(`${started.http}/api/system`)).storage.free_bytes,
      files: installedFiles(state),
    }),
    shell: (line) => askShell(started.http, line),
    until: async (holds, name = "tetris") => {
      const deadline = performance.now() + LIMIT_MS;
      for (;;) {
        const entry = (await apps()).find((candidate: { name: string }) => candidate.name === name);
        if (holds(entry)) return entry;
        if (performance.now() > deadline) throw new Error(`Still ${JSON.stringify(entry)}`);
      }
    },
  };
}

/** Returns the SHA-256 of every file below `apps`, by path. */
export function installedFiles(state: string): Record<string, string> {
  return filesBelow(path.join(state, "lfs"), "apps");
}

/**
 * Returns the SHA-256 of every file in `directory` of `root`, by path from `root`; empty if the directory is missing.
 */
export function filesBelow(root: string, directory: string): Record<string, string> {
  const files: Record<string, string> = {};
  const visit = (at: string) => {
    for (const entry of readdirSync(path.join(root, at), { withFileTypes: true })) {
      const inside = path.join(at, entry.name);
      if (entry.isDirectory()) visit(inside);
      else
        files[inside] = createHash("sha256")
          .update(readFileSync(path.join(root, inside)))
          .digest("hex");
    }
  };
  if (existsSync(path.join(root, directory))) visit(directory);
  return files;
}
