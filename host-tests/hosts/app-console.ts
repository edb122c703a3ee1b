/** A console that trusts a publisher, with access to its installed apps. */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { askHttp, askShell, getJson } from "./http-client.js";
import { Publisher } from "./publisher.js";
import { type Console, type ConsoleOptions, startConsole } from "./simulator.js";

export interface AppConsole extends Console {
  readonly publisher: Publisher;
  /** `GET /api/apps/list`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  apps(): Promise<any[]>;
  /** `POST /api/apps/<verb>?name=…`. */
  app(verb: "start" | "stop" | "uninstall", name?: string): ReturnType<typeof askHttp>;
  /** State that a rejected install must not change: the list of apps and the free space. */
  trace(): Promise<unknown>;
  /** Runs a shell command and returns its output. */
  shell(line: string): Promise<string>;
  /** Polls the entry of `name` until `holds` returns true. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  until(holds: (entry: any) => boolean, name?: string): Promise<any>;
}

const LIMIT_MS = 60_000;

export async function startAppConsole(
  options: ConsoleOptions & { readonly publisher?: Publisher; readonly roles?: string } = {},
): Promise<AppConsole> {
  const { publisher = new Publisher(), roles, ...rest } = options;
  const state = options.state ?? mkdtempSync(path.join(tmpdir(), "console-"));
  publisher.becomeTrusted(state, roles);
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

/** SHA-256 of every file below `apps`, by path. */
export function installedFiles(state: string): Record<string, string> {
  return filesBelow(path.join(state, "lfs"), "apps");
}

/** SHA-256 of every file in a directory of `root`, which need not be there, by path from `root`. */
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
