/** The regular expressions of the console's program mean to XS what they mean to Node. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type AnyNode, parse } from "acorn";
import { transformSync } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { childrenOf } from "../../../engine/program/syntax-tree.js";
import { type Pattern, takenBy } from "../../contracts/patterns.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";

const root = path.join(import.meta.dirname, "../../..");
const FOLDERS = ["device", "protocol", "hub-client"];
/** In AssemblyScript, which XS does not run. */
const ASSEMBLYSCRIPT = ["device/sandbox/", "device/home/app/"];

const directory = temporaryDirectory();
afterAll(() => directory.remove());

function* patternsIn(node: AnyNode): Generator<Pattern> {
  if (node.type === "Literal" && node.regex) {
    const { pattern: source, flags } = node.regex;
    yield { source, flags };
  }
  for (const child of childrenOf(node)) yield* patternsIn(child);
}

function patternsOf(file: string): Pattern[] {
  const { code } = transformSync(readFileSync(path.join(root, file), "utf8"), { loader: "ts" });
  return [...patternsIn(parse(code, { ecmaVersion: "latest", sourceType: "module" }))];
}

test("every regular expression takes the same texts on XS and on Node", async () => {
  const files = FOLDERS.flatMap((folder) => sourcesIn(folder));
  const patterns = files.flatMap(patternsOf);
  expect(patterns.length).toBeGreaterThan(30);
  const program = path.join(directory.path, "patterns-program.ts");
  const contract = path.join(import.meta.dirname, "../../contracts/patterns.js");
  writeFileSync(
    program,
    `import { takenBy } from ${JSON.stringify(contract)};
    const PATTERNS = ${JSON.stringify(patterns)};
    export default function main() {
      for (const pattern of PATTERNS) trace(takenBy(pattern) + "\\n");
      trace("done\\n");
    }`,
  );
  const built = await buildProgram(program, directory.path);
  const { lines } = await built.run({ state: path.join(directory.path, "state") });
  expect(lines).toHaveLength(patterns.length);
  const differing = patterns.filter((pattern, index) => lines[index] !== takenBy(pattern));
  expect(differing.map(({ source, flags }) => `/${source}/${flags}`)).toEqual([]);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .map((file) => path.posix.join(folder, file))
    .filter((file) => !ASSEMBLYSCRIPT.some((part) => file.startsWith(part)));
}
