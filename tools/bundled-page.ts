/**
 * Bundles a page that the hub serves beside the web console, with its scripts and styles, and writes it plain and in gzip.
 * Takes a tenth of a second, so nothing is kept; the caller keeps it.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { replaceFile } from "./files.js";
import { gzip } from "./gzip.js";
import { withLock } from "./lock.js";

export interface PageSources {
  /** With `index.html`, which names the outputs. */
  readonly directory: string;
  /** Files of the directory by the outputs that they become. */
  readonly entryPoints: Readonly<Record<string, string>>;
  readonly plugins?: readonly Plugin[];
}

/**
 * @param kinds the files of the page; one is `index.html`
 * @throws {Error} with the bundler's message
 */
export async function bundledPage<Kind extends { readonly name: string }>(
  sources: PageSources,
  kinds: readonly Kind[],
): Promise<readonly (Kind & { readonly body: Uint8Array })[]> {
  const page = readFile(path.join(sources.directory, "index.html"));
  const [html, outputs] = await Promise.all([page, outputsOf(sources)]);
  return kinds.map((kind) => {
    const body = kind.name === "index.html" ? html : outputs.get(kind.name);
    if (!body) throw new Error(`The bundler did not produce "${kind.name}"`);
    return { ...kind, body };
  });
}

/** Writes each file, and beside it the same in gzip (`.gz`). */
export async function writePage(
  directory: string,
  files: readonly { readonly name: string; readonly body: Uint8Array }[],
): Promise<void> {
  await withLock(directory, async () => {
    for (const { name, body } of files) {
      const file = path.join(directory, name);
      await replaceFile(file, body);
      await replaceFile(`${file}.gz`, await gzip(body));
    }
  });
}

async function outputsOf({
  directory,
  entryPoints,
  plugins = [],
}: PageSources): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = Object.entries(entryPoints).map(([output, file]) => [output, path.join(directory, file)]);
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(files),
    plugins: [...plugins],
    outdir: "/",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "silent",
  });
  return new Map(outputFiles.map(({ path: file, contents }) => [path.basename(file), contents]));
}
