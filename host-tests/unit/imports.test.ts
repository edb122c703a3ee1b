/** Imports go one way: no module imports itself by way of others, and folders import only those below them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");

/** The folders at the top, from the ground up: each may import those before it (docs/architecture.md#who-imports-whom). */
const FLOORS = [
  ...["protocol", "hub-client", "device", "tools", "engine", "device-client", "web"],
  ...["hub", "sdk", "cli", "simulator", "boards", "docs"],
];

/** `import … from "…"` and `export … from "…"` that remain at run time. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:([^"';]*?)\s*\bfrom\s*)?"(\.[^"]+)"/gm;
/** `{ type A, type B }`, of which nothing remains. */
const TYPES_ALONE = /^\{\s*(?:type\s+[\w$]+(?:\s+as\s+[\w$]+)?\s*,?\s*)+\}$/;

const sources = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...FLOORS], { cwd: root })
  .toString()
  .split("\n")
  .filter(
    (file) => /\.(ts|tsx|js)$/.test(file) && !file.endsWith(".d.ts") && existsSync(path.join(root, file)),
  );
const known = new Set(sources);

/** The file that a specifier means; `.js` stands for TypeScript too. */
function resolve(from: string, specifier: string): string | undefined {
  const plain = path.normalize(path.join(path.dirname(from), specifier));
  const candidates = [plain, plain.replace(/\.jsx?$/, ".ts"), plain.replace(/\.jsx?$/, ".tsx")];
  return candidates.find((candidate) => known.has(candidate));
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(IMPORT)]
    .filter(([, names = ""]) => !TYPES_ALONE.test(names.trim()))
    .flatMap(([, , specifier = ""]) => resolve(file, specifier) ?? []);
}

const graph = new Map(sources.map((file) => [file, importsOf(file)]));

/** The files of the first cycle, `undefined` without one. */
function findCycle(modules: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of modules.get(file) ?? []) {
      const circle = visit(next, [...way, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of modules.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return undefined;
}

/** Imports from a lower floor to a higher one, or from a folder without a floor. */
function upwardImports(modules: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const floorOf = (file: string) => FLOORS.indexOf(file.split("/")[0] ?? "");
  return [...modules].flatMap(([file, imports]) =>
    imports.filter((other) => floorOf(other) > floorOf(file)).map((other) => `${file} imports ${other}`),
  );
}

/** A board's folder, or another one at the top. */
const partOf = (file: string) => /^boards\/[^/]+(?=\/)/.exec(file)?.[0] ?? file.split("/")[0] ?? "";

/** What a board may be built of, besides its own folder. Types alone do not count. */
const FOR_BOARDS: ReadonlySet<string> = new Set([
  ...["boards", "engine", "device", "protocol", "tools"],
  "sdk", // which builds the apps of the session that boards/rv32 plays
]);

/** Imports of a board's folder from another one, and from folders that no board is built of. */
function foreignImports(modules: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const boards = [...modules].filter(([file]) => file.startsWith("boards/"));
  return boards.flatMap(([file, imports]) =>
    imports
      .filter((other) => !FOR_BOARDS.has(partOf(other)) && partOf(other) !== partOf(file))
      .map((other) => `${file} imports ${other}`),
  );
}

describe("Imports at run time", () => {
  test("are found: the console's program imports its services, and services import the protocol", () => {
    expect(graph.size).toBeGreaterThan(400);
    expect(graph.get("device/main.ts")).toContain("device/services/http/http-server.ts");
    expect(graph.get("device/services/http/request-guard.ts")).toContain("protocol/fault.ts");
  });

  test("form no cycle", () => {
    expect(findCycle(graph)).toBeUndefined();
  });

  test("lead only from a folder to those below it", () => {
    expect(upwardImports(graph)).toEqual([]);
  });

  test("of a board lead to engine, device, protocol and tools, never to another board", () => {
    expect(foreignImports(graph)).toEqual([]);
  });

  test("of one board by another are reported", () => {
    const wrong = new Map([
      [
        "boards/one/run.ts",
        ["boards/table.ts", "boards/one/build.ts", "engine/engine.ts", "boards/two/build.ts"],
      ],
      ["boards/table.ts", ["boards/one/build.ts", "simulator/build.ts"]],
    ]);
    expect(foreignImports(wrong)).toEqual([
      "boards/one/run.ts imports boards/two/build.ts",
      "boards/table.ts imports boards/one/build.ts",
      "boards/table.ts imports simulator/build.ts",
    ]);
  });

  test("are reported where they form a cycle or lead upwards", () => {
    const wrong = new Map([
      ["protocol/a.ts", ["protocol/b.ts"]],
      ["protocol/b.ts", ["device/c.ts"]],
      ["device/c.ts", ["protocol/a.ts"]],
    ]);
    expect(findCycle(wrong)).toEqual(["protocol/a.ts", "protocol/b.ts", "device/c.ts", "protocol/a.ts"]);
    expect(upwardImports(wrong)).toEqual(["protocol/b.ts imports device/c.ts"]);
  });
});
