/**
 * Builds the web console into `build/console`: a page, its start script, and the script of the panels that the page
 * loads later; each plain and in gzip (`.gz`), for the hub and the firmware. Silent when there is nothing to do.
 *
 *     npm run build:console
 *
 * The build is reproducible: the same sources give the same bytes, and so the same firmware.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Rolldown } from "vite";
import { replaceFile } from "./files.js";
import { gzip } from "./gzip.js";
import { LAUNCHER } from "./launcher.js";
import { withLock } from "./lock.js";
import { shownText } from "./shown-text.js";
import { PAGE_FILES } from "./web-page-files.js";

const root = path.dirname(import.meta.dirname);
const output = path.join(root, "build/console");

/** Directories that the page is built from. */
const SOURCES = ["web", "device-client", "protocol"];
const BUNDLER = import.meta.filename;

/** Argument of the process that builds. */
const BUILD_HERE = "--build-here";

export interface ConsoleFile {
  /** Path on the server. */
  readonly path: string;
  readonly mediaType: string;
  /** Path of the file. */
  readonly plain: string;
  /** Path of the same file in gzip. */
  readonly compressed: string;
}

/** All files that a server needs. */
const BUILT: readonly ConsoleFile[] = Object.freeze(
  PAGE_FILES.map(({ path: at, name, mediaType }) => {
    const plain = path.join(output, name);
    return Object.freeze({ path: at, mediaType, plain, compressed: `${plain}.gz` });
  }),
);

/** Digest of the sources of the present build; absent while a build replaces the files. */
const STAMP = path.join(output, "inputs");

/**
 * Returns a fresh build at once, since many programs call it. Builds a stale one in a process of its own: the bundler
 * reads its caller's environment, and the page must be identical for every caller.
 * @throws {Error} with the bundler's message
 */
export async function buildConsole(): Promise<readonly ConsoleFile[]> {
  if (await isFresh()) return BUILT;
  return withLock(output, async () => {
    if (!(await isFresh())) await buildInChild();
    return BUILT;
  });
}

/**
 * Falls back to the last build if the present sources do not build, so that servers start while the page is being edited.
 * @throws {Error} if there is no earlier build
 */
export async function consoleOrLast(): Promise<readonly ConsoleFile[]> {
  try {
    return await buildConsole();
  } catch (error) {
    if (!BUILT.every(({ plain, compressed }) => existsSync(plain) && existsSync(compressed))) throw error;
    const { message } = error as Error;
    process.stderr.write(`${message.trim()}\nUsing the last build of the web console.\n`);
    return BUILT;
  }
}

async function isFresh() {
  return (await readFile(STAMP, "utf8").catch(() => "")) === (await digestOfSources());
}

async function buildInChild() {
  const { VITEST: _, ...environment } = process.env;
  const child = execFile(process.execPath, [LAUNCHER, import.meta.filename, BUILD_HERE], {
    cwd: root,
    env: { ...environment, NODE_ENV: "production" },
  });
  let messages = "";
  child.stderr?.on("data", (text) => {
    messages += text;
  });
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`The web console does not build:\n${shownText(messages)}`);
}

/** Builds in this process, without checking whether the build is fresh. */
async function rebuild() {
  const inputs = await digestOfSources();
  const texts = await bundlePage();
  await rm(STAMP, { force: true });
  for (const { plain, compressed } of BUILT) {
    const text = texts.get(path.basename(plain));
    if (text === undefined) throw new Error(`The bundler did not produce "${path.basename(plain)}"`);
    await replaceFile(plain, text);
    await replaceFile(compressed, await gzip(new TextEncoder().encode(text)));
  }
  await replaceFile(STAMP, inputs);
}

/** Digest of all source files, including the versions of packages. */
async function digestOfSources() {
  const hash = createHash("sha256");
  const files = await Promise.all(SOURCES.map(filesBelow));
  for (const file of [...files.flat(), path.join(root, "package-lock.json"), BUNDLER].sort())
    hash.update(`${path.relative(root, file)}\n`).update(await readFile(file));
  return hash.digest("hex");
}

async function filesBelow(directory: string) {
  const entries = await readdir(path.join(root, directory), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

if (process.argv[1] === import.meta.filename) {
  const isChild = process.argv[2] === BUILD_HERE;
  const built = isChild ? rebuild() : buildConsole();
  await built.then(
    () => isChild || process.stdout.write(`${path.relative("", output)}\n`),
    ({ message }) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    },
  );
}

/** Bundles the page: `index.html` with its style inlined, `console.js` and `panels.js`. @returns texts by file name */
async function bundlePage(): Promise<ReadonlyMap<string, string>> {
  const { build } = await import("vite"); // loads slowly: only for a stale build
  const result = await build({
    configFile: path.join(import.meta.dirname, "../web/vite.config.ts"),
    logLevel: "warn",
    build: { write: false },
  });
  const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput;
  return withStyleInside(output);
}

function withStyleInside(files: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]) {
  const texts: Map<string, string> = new Map();
  let style = "";
  for (const file of files) {
    if (file.fileName.endsWith(".css")) style += String((file as { source: unknown }).source).trim();
    else texts.set(file.fileName, file.type === "chunk" ? file.code : String(file.source));
  }
  const page = texts.get("index.html") ?? "";
  return texts.set("index.html", completePage(page, style));
}

/** Inlines the style, and adds the policy that allows only this style and the page's own scripts. */
function completePage(page: string, style: string) {
  const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, text]) => `'${sourceHash(`${text}`)}'`,
  );
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...inline].join(" "),
    `style-src '${sourceHash(style)}'`,
    "img-src 'self' data: blob:",
    "connect-src http: https: ws: wss:", // consoles and hubs have any address
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return page
    .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
    .replace(
      "<meta charset",
      () => `<meta http-equiv="content-security-policy" content="${policy}" />\n    <meta charset`,
    )
    .replace("</head>", () => `<style>${style}</style>\n  </head>`);
}

/** Content Security Policy Level 3 §2.3.1, `hash-source`. */
function sourceHash(text: string) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
