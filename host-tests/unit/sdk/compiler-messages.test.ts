/** What a build says is what the compiler says, and not the progress that it draws before. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { AppDirectories } from "./app-directories.js";
import { COMPILE_TIMEOUT_MS } from "./examples.js";

const asc = vi.hoisted(() => ({ says: undefined as string | undefined }));
vi.mock("../../../tools/asc.js", async (original) => {
  const { loadAsc } = await original<typeof import("../../../tools/asc.js")>();
  const main = async () => ({ error: new Error("1 error"), stderr: { toString: () => asc.says } });
  return { loadAsc: async () => (asc.says === undefined ? loadAsc() : { main }) };
});

// Modules remember the compilers that they found: they are loaded anew for these tests, and again for those after them.
let compileApp: typeof import("../../../sdk/builder/build-app.js")["compileApp"];
beforeAll(async () => {
  vi.resetModules();
  ({ compileApp } = await import("../../../sdk/builder/build-app.js"));
});
afterAll(() => void vi.resetModules());

const directories = new AppDirectories();
afterAll(() => directories.remove());
afterEach(() => {
  asc.says = undefined;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const STEPS = ["AST Lowering [30] zig/tokenizer.zig... ", "AST Lowering [420] compress/deflate.zig... "];
const DRAWINGS = [
  { how: "moves back", text: STEPS.map((step) => `${step}\x1b[${step.length}D\x1b[0K`).join("") },
  { how: "returns", text: `${STEPS.map((step) => `${step}\r\x1b[K`).join("")}` },
  {
    how: "writes over with spaces",
    text: STEPS.map((step) => `\r${step}\r${" ".repeat(step.length)}\r`).join(""),
  },
  { how: "goes up lines", text: `\x1b[?2026h${STEPS.join("\n")}\r\x1bM\x1b[J\x1b[?2026l` },
];

/**
 * Programs in front of all others in the path, which draw progress. `zig version` succeeds, and rustc has the target.
 * @param then what each does afterwards, in the language of the shell
 */
function standIns(progress: string, then: (program: string) => string, programs: readonly string[]): void {
  const bin = path.join(directories.make({}), "bin");
  mkdirSync(bin);
  for (const program of programs) {
    const file = path.join(bin, program);
    const drawn = `printf '%b' '${[...Buffer.from(progress)].map((byte) => `\\0${byte.toString(8)}`).join("")}' >&2`;
    const answers = `[ "$1" = version ] && exit\n[ "$1" = --print ] && exec echo ${bin}\n[ "$1" = --version ] && exit`;
    writeFileSync(
      file,
      `#!/bin/sh\n${program === "zig" || program === "rustc" ? answers : ""}\n${drawn}\n${then(program)}\n`,
    );
    chmodSync(file, 0o755);
  }
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
}

const SOURCES = [
  { file: "main.zig", program: "zig" },
  { file: "main.c", program: "clang" },
  { file: "main.rs", program: "rustc" },
];
for (const { how, text } of DRAWINGS)
  describe(`A compiler's progress that ${how} is no part of the message`, () => {
    for (const { file, program } of SOURCES)
      test(`that ${file} does not compile`, async () => {
        const says = `\x1b[1m${file}:1:1: \x1b[31merror: \x1b[0mno such thing\n    here\n    ^\n`;
        const octal = [...Buffer.from(says)].map((byte) => `\\0${byte.toString(8)}`).join("");
        standIns(text, () => `printf '%b' '${octal}' >&2\nexit 1`, [program]);
        await expect(compileApp(directories.make({ [file]: "" }))).rejects.toMatchObject({
          code: "compile_failed",
          sources: file,
          said: `${file}:1:1: error: no such thing\n    here\n    ^`,
        });
      });

    test("that a compiler has ended without a message", async () => {
      standIns(text, () => "exit 3", ["clang"]);
      await expect(compileApp(directories.make({ "main.c": "" }))).rejects.toMatchObject({
        said: "clang ended with 3",
      });
    });

    test("that main.ts does not compile", async () => {
      asc.says = `${text}ERROR TS2304: no such thing\n`;
      await expect(compileApp(directories.make({ "main.ts": "" }))).rejects.toMatchObject({
        said: "ERROR TS2304: no such thing",
      });
    });
  });

describe.skipIf(isMissing("clang"))("A build that succeeds", { timeout: COMPILE_TIMEOUT_MS }, () => {
  const build = async (source: string) => {
    const real = process.env["PATH"];
    standIns(DRAWINGS[0]?.text ?? "", (program) => `PATH='${real}' exec ${program} "$@"`, ["clang"]);
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await compileApp(directories.make({ "main.c": source }));
    return written.mock.calls.map(([text]) => text).join("");
  };

  test("shows nothing of the progress", async () => {
    const source = "#include <svc.h>\nSVC_EXPORT(main) int32_t run(void) { return 1; }\n";
    expect(await build(source)).toBe("");
  });

  test("shows warnings without the progress", async () => {
    const source = "#include <svc.h>\nSVC_EXPORT(main) int32_t run(void) { int unused; return 1; }\n";
    expect(await build(source)).toMatch(/^main\.c:2:\d+: warning: unused variable/);
  });
});

test.skipIf(lacksCompiler("zig"))(
  "Zig with an empty cache draws its progress, and the message has its error alone, with the line",
  { timeout: COMPILE_TIMEOUT_MS },
  async () => {
    vi.stubEnv("ZIG_GLOBAL_CACHE_DIR", path.join(directories.make({}), "cache"));
    const main =
      'const std = @import("std");\nexport fn main() i32 {\n    return nothing + std.math.maxInt(i32);\n}\n';
    await expect(compileApp(directories.make({ "main.zig": main }))).rejects.toMatchObject({
      said: expect.stringMatching(
        /^main\.zig:3:12: error: use of undeclared identifier 'nothing'\n {4}return nothing .*\n {11}\^~+$/,
      ),
    });
  },
);
