/** What a compilation may take, and that nothing of it stays (docs/spec/hub-api.md#compile-limits). */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { HubConfig } from "../../../hub/config/read-config.js";
import { COMPILE_LIMITS, type CompileLimits } from "../../../hub/images/compile-process.js";
import { type CompileOutcome, ImageCompiler } from "../../../hub/images/image-compiler.js";
import { MODULE_FILE, REQUEST_FILE } from "../../../hub/images/image-request.js";
import type { Fault } from "../../../protocol/fault.js";
import { LAUNCHER } from "../../../tools/launcher.js";
import { moduleOf } from "../../hosts/app-files.js";
import { I32, module as moduleFrom, times } from "../../unit/wasm/module-builder.js";
import { silentLogger } from "../hosts/silent-logger.js";
import { expectGone, StandInCompiler } from "./stand-in-compiler.js";

const run = promisify(execFile);

const MIB = 1024 * 1024;
const MANIFEST = { entry: "main", memory_quota: 131_072, capabilities: [] };
const EMPTY = '(module (func (export "main")))';

/** The compiler of a hub, and how its compilations have ended. */
function made(limits: Partial<CompileLimits>, searchPath = process.env["PATH"] ?? "") {
  const outcomes: CompileOutcome[] = [];
  const compiler = new ImageCompiler({
    config: { compiledArchitectures: ["native"] } as unknown as HubConfig,
    logger: silentLogger,
    onEnded: (outcome) => outcomes.push(outcome),
    limits: { ...COMPILE_LIMITS, ...limits },
    searchPath,
  });
  onTestFinished(() => compiler.close());
  const compile = (module: Uint8Array, signal = new AbortController().signal, publisherId = "one") =>
    compiler.compile({ architecture: "native", manifest: MANIFEST, module, publisherId, signal });
  return { compiler, outcomes, compile };
}

/** A stand-in that does this in the place of compiling. */
function standIn(work?: string): StandInCompiler {
  const compiler = new StandInCompiler(work);
  onTestFinished(() => compiler.remove());
  return compiler;
}

/** So many loops in one function, each of which the C compiler compares with all others: minutes of its time. */
function manyLoops(count: number): Uint8Array {
  const loop = [0x03, 0x40, 0x20, 0, 0x41, 1, 0x6a, 0x22, 0, 0x0d, 0, 0x0b];
  return Uint8Array.from(
    moduleFrom({
      functions: [{ locals: [[1, I32]], code: times(count, loop) }],
      exports: [["main", 0, 0]],
    }),
  );
}

describe("A compilation", () => {
  test("that takes too long is ended with all of its processes", async () => {
    const stuck = standIn('sleep 1000 >/dev/null 2>&1 & note "$!"; wait');
    const { compile, outcomes } = made({ timeMs: 5000 }, stuck.searchPath);
    await expect(compile(await moduleOf(EMPTY))).rejects.toMatchObject({
      code: "compile_failed",
      message: expect.stringContaining("more than 5 s"),
    });
    for (const number of [1, 2]) await expectGone(await stuck.run(number));
    expect(outcomes).toEqual(["refused"]);
  });

  test("of a module that keeps the real compiler busy is ended, and the next one is compiled", async () => {
    const { compile, outcomes } = made({ timeMs: 5000 });
    await expect(compile(manyLoops(50_000))).rejects.toMatchObject({ code: "compile_failed" });
    expect((await compile(await moduleOf(EMPTY))).length).toBeGreaterThan(0);
    expect(outcomes).toEqual(["refused", "compiled"]);
  });

  for (const { what, loops, memoryBytes } of [
    { what: "compiler", loops: 5000, memoryBytes: 256 * MIB },
    { what: "translation to C", loops: 80_000, memoryBytes: 160 * MIB },
  ])
    test(`whose ${what} asks for too much memory fails`, async () => {
      const { compile, outcomes } = made({ memoryBytes });
      await expect(compile(manyLoops(loops))).rejects.toMatchObject({ code: "compile_failed" });
      expect(outcomes).toEqual(["refused"]);
    });

  const GREEDY = [
    { what: "writes files without end", work: `cat /dev/zero > "$TMPDIR/large"` },
    { what: "says something without end", work: "yes >&2" },
    { what: "fills its directory with files", work: `for n in 1 2 3 4 5; do echo > "$TMPDIR/$n"; done` },
  ];
  for (const { what, work } of GREEDY)
    test(`whose compiler ${what} fails, and leaves nothing`, async () => {
      const greedy = standIn(work);
      const { compile } = made({}, greedy.searchPath);
      await expect(compile(await moduleOf(EMPTY))).rejects.toMatchObject({
        code: "compile_failed",
        message: expect.stringMatching(/^.{1,500}$/s),
      });
      await expectGone(await greedy.run(1));
    });

  test("whose compiler leaves a process behind ends it", async () => {
    const leaving = standIn('sleep 1000 >/dev/null 2>&1 & note "$!"');
    const { compile } = made({}, leaving.searchPath);
    await expect(compile(await moduleOf(EMPTY))).rejects.toMatchObject({ code: "compile_failed" });
    for (const number of [1, 2]) await expectGone(await leaving.run(number));
  });

  const TELLING = [
    {
      what: "says where its files are",
      work: `echo "$PWD/a.c: in $TMPDIR/b.c, at /srv/hub/lib/c.h and ${process.execPath}" >&2`,
    },
    { what: "says nothing", work: "kill -9 $$" },
  ];
  for (const { what, work } of TELLING)
    test(`whose compiler ${what} fails without naming a directory of the hub`, async () => {
      const elsewhere = mkdtempSync(path.join(tmpdir(), "linked-"));
      symlinkSync(tmpdir(), path.join(elsewhere, "tmp"));
      vi.stubEnv("TMPDIR", path.join(elsewhere, "tmp"));
      onTestFinished(() => {
        vi.unstubAllEnvs();
        rmSync(elsewhere, { recursive: true });
      });
      const telling = standIn(work);
      const error = (await made({}, telling.searchPath)
        .compile(await moduleOf(EMPTY))
        .catch((fault) => fault)) as Fault;
      expect(error.code).toBe("compile_failed");
      expect(error.message).not.toMatch(/\/(?:tmp|srv|usr|home|linked-|hub)\b|linked-|Command failed/);
    });

  test("that finds the disk full is no fault of the module", async () => {
    const full = standIn('echo "fatal error: error writing to app.s: No space left on device" >&2; exit 1');
    const { compile, outcomes } = made({}, full.searchPath);
    await expect(compile(await moduleOf(EMPTY))).rejects.toMatchObject({ code: "storage_full" });
    expect(outcomes).toEqual(["failed"]);
  });

  test("that nobody wants any more gives its turn away, also while it waits", async () => {
    const waiting = standIn();
    const { compile, outcomes } = made({}, waiting.searchPath);
    const module = await moduleOf(EMPTY);
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [first, second].map(({ signal }, publisher) =>
      compile(module, signal, `publisher ${publisher}`).catch((error) => error),
    );
    const run = await waiting.run(1);
    second.abort(new Error("gone while it waits"));
    first.abort(new Error("gone while it is compiled"));
    expect(await Promise.all(answers)).toMatchObject([
      { message: "gone while it is compiled" },
      { message: "gone while it waits" },
    ]);
    await expectGone(run);
    expect([waiting.runs.length, outcomes]).toEqual([1, ["cancelled"]]);
  });

  test("fails without a free file descriptor, and the hub goes on", async () => {
    const program = path.join(import.meta.dirname, "few-descriptors.ts");
    const few = ["-c", 'ulimit -n 100 && exec "$@"', "sh", process.execPath, LAUNCHER, program];
    const codes = JSON.parse((await run("sh", few)).stdout);
    expect(new Set(codes)).toEqual(new Set(["module_invalid", "EMFILE"]));
    expect(codes.at(-1)).toBe("module_invalid");
  });

  test("does not begin once the hub ends", async () => {
    const { compiler, compile } = made({});
    await compiler.close();
    await expect(compile(await moduleOf(EMPTY))).rejects.toMatchObject({ code: "busy" });
  });
});

test("The program that compiles deletes no directory but one that a hub has made for it", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "not-of-a-hub-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(path.join(directory, "kept"), "");
  writeFileSync(path.join(directory, MODULE_FILE), await moduleOf(EMPTY));
  writeFileSync(
    path.join(directory, REQUEST_FILE),
    JSON.stringify({ architecture: "native", manifest: MANIFEST }),
  );
  const program = path.resolve(import.meta.dirname, "../../../sdk/builder/native/compile-for-hub.ts");
  const child = spawn(process.execPath, [LAUNCHER, program], {
    cwd: directory,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end();
  await once(child, "exit");
  expect(existsSync(path.join(directory, "kept"))).toBe(true);
});
