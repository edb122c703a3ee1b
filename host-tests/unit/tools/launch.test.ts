/** The launcher (tools/launch.js): the environment of a program that it starts, and when it bundles again. */
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../../..");
const launcher = path.join(root, "tools/launch.js");

let sources: string;
beforeEach(() => {
  mkdirSync(path.join(root, "build"), { recursive: true });
  sources = mkdtempSync(path.join(root, "build/launched-"));
});
afterEach(() => {
  rmSync(sources, { recursive: true, force: true });
  rmSync(kept(), { recursive: true, force: true });
});

/** Where the bundles of this test are. */
const kept = () => path.join(root, "build/launch/build", path.basename(sources));
const main = () => path.join(sources, "main.ts");
const bundleDirectory = () => path.join(kept(), "main");
const noteFile = () => path.join(bundleDirectory(), "note.json");

interface Note {
  readonly files: readonly string[];
  readonly sources: readonly { readonly file: string; readonly changedMs: number }[];
}
const readNote = (): Note => JSON.parse(readFileSync(noteFile(), "utf8"));
const bundle = () =>
  path.join(bundleDirectory(), readNote().files.find((name) => name.endsWith(".js")) ?? "");

function write(name: string, text: string): void {
  writeFileSync(path.join(sources, name), text);
}

function start(
  args: readonly string[] = [],
  input = "",
  environment: Readonly<Record<string, string>> = {},
): SpawnSyncReturns<string> {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, [launcher, main(), ...args], { encoding: "utf8", input, env });
}

/** What it prints; it ends well. */
function output(): string {
  const { status, stdout, stderr } = start();
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.trimEnd();
}

test("a program gets its arguments, its standard input, and its exit status", () => {
  write(
    "main.ts",
    "process.stdin.pipe(process.stdout); console.log(process.argv.slice(1).join()); process.exitCode = 7 as number;",
  );
  const { status, stdout } = start(["--flag", "a b"], "in");
  expect([status, stdout]).toEqual([7, `${main()},--flag,a b\nin`]);
});

test("a program runs in the launcher's process, and gets its signals", async () => {
  write(
    "main.ts",
    'process.on("SIGTERM", () => process.exit(9)); setInterval(() => {}, 1000); console.log(process.pid);',
  );
  const child = spawn(process.execPath, [launcher, main()], { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = await once(child.stdout, "data");
  expect(Number(pid)).toBe(child.pid);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([9, null]);
});

test("what a process loads before a program is loaded once, also where the program is bundled first", () => {
  write("main.ts", 'console.log("program");');
  const before = "data:text/javascript,console.log(1)";
  const { stdout } = spawnSync(process.execPath, ["--import", before, launcher, main()], {
    encoding: "utf8",
  });
  expect(stdout).toBe("1\nprogram\n");
  rmSync(kept(), { recursive: true });
  expect(start([], "", { NODE_OPTIONS: `--import ${before}` }).stdout).toBe("1\nprogram\n");
});

test("a program that does not compile in a read-only tree leaves nothing behind", () => {
  write("main.ts", "console.log(;");
  mkdirSync(kept(), { recursive: true });
  writeFileSync(bundleDirectory(), ""); // a file where the directory would be
  const temporary = path.join(sources, "tmp");
  mkdirSync(temporary);
  const { status, stderr } = start([], "", { TMPDIR: temporary });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/main\.ts:1:12: ERROR/)]);
  expect(readdirSync(temporary)).toEqual([]);
});

test("import.meta of each source is its own", () => {
  mkdirSync(path.join(sources, "below"));
  write(
    "below/inner.ts",
    "export const places = [import.meta.dirname, import.meta.filename, import.meta.url];",
  );
  write(
    "main.ts",
    'import { places } from "./below/inner.js"; console.log([...places, import.meta.dirname, "import.meta.url"].join(" "));',
  );
  const inner = path.join(sources, "below/inner.ts");
  const expected = [path.dirname(inner), inner, pathToFileURL(inner).href, sources, "import.meta.url"];
  expect(output()).toBe(expected.join(" "));
});

test("a dynamic import is loaded when reached", () => {
  write("later.ts", 'console.log("later");');
  write("main.ts", 'console.log("first"); await import("./later.js");');
  expect(output()).toBe("first\nlater");
});

test("an error names the line in its source", () => {
  write("main.ts", 'interface Unused {}\n\nthrow new Error("deliberate");');
  const { status, stderr } = start();
  expect(status).toBe(1);
  expect(stderr).toMatch(/main\.ts:3:/);
});

test("an entry is bundled once without changes", () => {
  write("main.ts", "console.log(1);");
  output();
  writeFileSync(bundle(), 'console.log("kept");');
  expect(output()).toBe("kept");
});

test("an entry is bundled again after a change of any source", () => {
  write("inner.ts", "export const inner = 1;");
  write("main.ts", 'import { inner } from "./inner.js"; console.log(inner);');
  expect(output()).toBe("1");
  const past = statSync(path.join(sources, "inner.ts")).mtime;
  write("inner.ts", "export const inner = 2;"); // of the same length and time
  utimesSync(path.join(sources, "inner.ts"), past, past);
  expect(output()).toBe("2");
});

test("an entry is not bundled again if only a source's time has changed", () => {
  write("main.ts", "console.log(3);");
  output();
  writeFileSync(bundle(), 'console.log("kept");');
  utimesSync(main(), 1, 1);
  expect(output()).toBe("kept");
});

test("a package of many modules becomes part of the bundle, which notes the package's version", () => {
  write(
    "main.ts",
    'import { sql } from "kysely"; import { Compile } from "typebox/compile"; import { Command } from "commander"; console.log(typeof sql, typeof Compile, typeof Command);',
  );
  expect(output()).toBe("function function function");
  const imported = [...readFileSync(bundle(), "utf8").matchAll(/^import .*from "([^"]+)"/gm)];
  expect(imported.map(([, name]) => name)).toEqual(["commander"]);
  const packages = readNote().sources.filter(({ file }) => file.includes("node_modules/"));
  expect(packages.map(({ file }) => file.replace(/^.*node_modules\//, "")).sort()).toEqual([
    "esbuild/package.json",
    "kysely/package.json",
    "typebox/package.json",
  ]);
});

test("the time of a source that has just changed is not relied on", () => {
  write("main.ts", "console.log(4);");
  output();
  const own = readNote().sources.find(({ file }) => file.endsWith("main.ts"));
  expect(own?.changedMs).toBe(0);
});

test("an error in a source is printed, and the program runs once it is fixed", () => {
  write("main.ts", "console.log(;");
  const { status, stderr } = start();
  expect(status).toBe(1);
  expect(stderr).toMatch(/main\.ts:1:12: ERROR/);
  write("main.ts", "console.log(5);");
  expect(output()).toBe("5");
});

test("an entry is bundled again if its stored bundle is missing or damaged", () => {
  write("main.ts", "console.log(6);");
  output();
  for (const damaged of ["{", JSON.stringify({ root, sources: [{}] })]) {
    writeFileSync(noteFile(), damaged);
    expect(output()).toBe("6");
  }
  for (const name of readNote().files) rmSync(path.join(bundleDirectory(), name));
  expect(output()).toBe("6");
  expect(readNote().files.every((name) => existsSync(path.join(bundleDirectory(), name)))).toBe(true);
});

test("a bundle of another tree is not used", () => {
  write("main.ts", "console.log(import.meta.filename);");
  output();
  const note = { ...readNote(), root: "/elsewhere" };
  writeFileSync(noteFile(), JSON.stringify(note));
  expect(output()).toBe(main());
});

test("a replaced bundle is deleted after a day", () => {
  write("main.ts", "console.log(7);");
  output();
  const old = bundle();
  const recent = path.join(bundleDirectory(), "main-RECENT.js");
  writeFileSync(recent, "");
  utimesSync(old, 1, 1);
  write("main.ts", "console.log(8);");
  expect(output()).toBe("8");
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
});

test("a program runs in a read-only tree, with its packages and dynamic imports", () => {
  write("later.ts", "export const place = import.meta.filename;");
  write(
    "main.ts",
    'import { Command } from "commander"; if (process.argv.length > 9) await import("not-installed"); const { place } = await import("./later.js"); console.log(Command.name, place);',
  );
  mkdirSync(kept(), { recursive: true });
  writeFileSync(bundleDirectory(), ""); // a file where the directory would be
  const temporary = path.join(sources, "tmp");
  mkdirSync(temporary);
  const { status, stdout } = start([], "", { TMPDIR: temporary });
  expect([status, stdout]).toEqual([0, `Command ${path.join(sources, "later.ts")}\n`]);
  expect(readdirSync(temporary)).toEqual([]); // it leaves nothing behind
});

test("several processes can start the same program at once", async () => {
  write("main.ts", "console.log(9);");
  const children = Array.from({ length: 4 }, () => spawn(process.execPath, [launcher, main()]));
  expect(await Promise.all(children.map((child) => once(child, "exit")))).toEqual(Array(4).fill([0, null]));
  expect(readdirSync(bundleDirectory()).filter((name) => /\.js\.|json\./.test(name))).toHaveLength(1); // no leftovers: the map
});

test("a thread starts in the same way", async () => {
  write(
    "main.ts",
    'import { parentPort } from "node:worker_threads"; parentPort?.postMessage(process.argv[2] as string);',
  );
  const worker = new Worker(launcher, { argv: [main(), "given"] });
  expect(await once(worker, "message")).toEqual(["given"]);
});

test("without an entry the launcher prints its usage, with status 2", () => {
  const { status, stderr } = spawnSync(process.execPath, [launcher], { encoding: "utf8" });
  expect([status, stderr]).toEqual([2, "Usage: node tools/launch.js ENTRY.ts [ARGUMENT...]\n"]);
});
