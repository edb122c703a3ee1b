/** `svc app new`, `build` and `pack`: from nothing to a signed package (docs/spec/cli.md#app-commands). */
import { createHash, createPublicKey, verify } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAppFile } from "../../../device-client/app-file.js";
import { buildRuntime } from "../../../sdk/python/runtime.js";
import { bitmap } from "../../hosts/bitmap.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { kindsInTier } from "../../tier.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
beforeAll(() => buildRuntime(), RUNTIME_TIMEOUT_MS); // once in a checkout
afterAll(() => temporary.remove());
const placeOf = (...names: readonly string[]) => path.join(temporary.path, ...names);

const publisher = new Publisher();
const key = placeOf("key.pem");
writeFileSync(key, publisher.privatePem);

const LANGUAGES = [
  { lang: "assemblyscript", source: "main.ts", name: "first-app", isSkipped: false },
  { lang: "c", source: "main.c", name: "first.c_app", isSkipped: isMissing("clang") },
  { lang: "cpp", source: "main.cpp", name: "first_cpp", isSkipped: isMissing("clang") },
  { lang: "python", source: "main.py", name: "first-script", isSkipped: false },
  { lang: "rust", source: "main.rs", name: "first-rust", isSkipped: lacksCompiler("rust") },
  { lang: "zig", source: "main.zig", name: "first-zig", isSkipped: lacksCompiler("zig") },
];

for (const { lang, source, name, isSkipped } of kindsInTier(LANGUAGES))
  describe.skipIf(isSkipped)(`In ${lang},`, { timeout: SVC_TIMEOUT_MS }, () => {
    const app = placeOf(name);
    const edit = (file: string, change: (text: string) => string) =>
      writeFileSync(path.join(app, file), change(readFileSync(path.join(app, file), "utf8")));
    beforeAll(() => {
      const { status, stdout } = runSvc("app", "new", app, "--lang", lang, "--json");
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ directory: app, name, lang });
    });

    test("a new app has the name of its directory and no placeholder of the template", () => {
      expect(JSON.parse(readFileSync(path.join(app, "manifest.json"), "utf8")).name).toBe(name);
      for (const file of [source, "README.md", "manifest.json"])
        expect(readFileSync(path.join(app, file), "utf8")).not.toContain("{{");
      expect(readdirSync(app)).toEqual(expect.arrayContaining([".gitignore", "icon_32.bmp", source]));
    });

    test("a new app builds unchanged", () => {
      const { status, stdout, stderr } = runSvc("app", "build", app);
      expect([status, stderr]).toEqual([0, ""]);
      const file = path.join(app, "build", `${name}.wasm`);
      const bytes = readFileSync(file);
      expect(bytes.subarray(0, 4).toString("latin1")).toBe("\0asm");
      expect(stdout).toBe(`${file}: ${name} 0.1.0, ${bytes.length} bytes, may display.write, gpio.read\n`);
    });

    test.skipIf(lang === "python")("--aot adds machine code, the same each time", () => {
      const { status, stdout } = runSvc("app", "build", app, "--aot", "native", "--json");
      const file = path.join(app, "build", `${name}.native.aot`);
      expect([status, JSON.parse(stdout)]).toMatchObject([0, { name, aot_files: [file] }]);
      const first = readFileSync(file);
      expect(first.subarray(0, 4).toString("latin1")).toBe("\0aot");
      const pack = runSvc(
        "app",
        "pack",
        app,
        "--key",
        key,
        "--aot",
        "native",
        "--out",
        placeOf("aot.svcpkg"),
        "--json",
      );
      expect(JSON.parse(pack.stdout)).toMatchObject({ name, variants: ["native"] });
      expect(runSvc("app", "build", app, "--aot", "native").status).toBe(0);
      expect(readFileSync(file)).toEqual(first);
      rmSync(file);
    });

    // docs/spec/aot.md#alone
    test.skipIf(lang === "python")("--image-only packs machine code in place of the module", async () => {
      const out = placeOf("alone.svcpkg");
      writeFileSync(`${out}.lines`, "of an earlier build");
      const pack = (...args: readonly string[]) =>
        runSvc("app", "pack", app, "--key", key, "--out", out, "--aot", "native", "--image-only", ...args);
      const { status, stdout } = pack("--json");
      expect([status, JSON.parse(stdout)]).toMatchObject([
        0,
        { name, variants: ["native"], image_only: true, bytes: readFileSync(out).length },
      ]);
      expect(readdirSync(temporary.path)).not.toContain("alone.svcpkg.lines");
      const packed = readFileSync(out);
      const file = await readAppFile(packed, 1 << 20);
      expect(file).toMatchObject({ isImageAlone: true, manifest: { name, target_arch: "native" } });
      expect(JSON.parse(readFileSync(path.join(app, "manifest.json"), "utf8")).target_arch).not.toBe(
        "native",
      );
      expect(pack().stdout).toContain("machine code for native alone, ");
      expect(readFileSync(out)).toEqual(packed);
      const keys = placeOf("alone.pem");
      writeFileSync(keys, publisher.pem);
      expect(runSvc("verify", out, "--keys", keys).stdout).toMatch(
        /^machine code +native alone: no other console runs it$/m,
      );
    });

    test("--image-only packs for one architecture, and for none but the manifest's", () => {
      const pack = (...args: readonly string[]) =>
        runSvc("app", "pack", app, "--key", key, "--image-only", ...args);
      for (const args of [[], ["--aot", "native,rv32"]])
        expect(pack(...args)).toMatchObject({
          status: 2,
          stderr: expect.stringContaining("--image-only packs the machine code of one architecture"),
        });
      const manifest = readFileSync(path.join(app, "manifest.json"), "utf8");
      edit("manifest.json", (text) =>
        text.replace(/"target_arch": "\w+",?/, "").replace("{", '{"target_arch": "rv32",'),
      );
      const { status, stderr } = pack("--aot", "native");
      expect(status).toBe(1);
      const refusal =
        lang === "python" ? "compile_failed" : "manifest_invalid: .*target_arch of manifest.json is rv32";
      expect(stderr).toMatch(new RegExp(`svc: ${refusal}`));
      writeFileSync(path.join(app, "manifest.json"), manifest);
    });

    if (lang === "python")
      test("--aot is refused, since a script's runtime is too large as machine code", () => {
        for (const args of [
          ["build", app],
          ["pack", app, "--key", key],
        ]) {
          const { status, stdout, stderr } = runSvc("app", ...args, "--aot", "native");
          expect([status, stdout]).toEqual([1, ""]);
          expect(stderr.trimEnd().split("\n")).toEqual([
            expect.stringContaining("MicroPython's machine code is larger than the 1 MiB that consoles take"),
            "svc: compile_failed: Cannot compile an app in Python ahead of time",
          ]);
        }
      });

    test("--aot for an architecture without images is wrong usage", () => {
      const { status, stderr } = runSvc("app", "build", app, "--aot", "native,z80");
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining('Cannot compile ahead of time for "z80"'),
      ]);
    });

    test("--optimize for anything but size and speed is wrong usage", () => {
      expect(runSvc("app", "build", app, "--optimize", "speed").status).toBe(0);
      const { status, stderr } = runSvc("app", "build", app, "--optimize", "beauty");
      expect([status, stderr]).toEqual([2, expect.stringMatching(/--optimize.*size.*speed/s)]);
    });

    test("the same sources give the same package, signed with the key", () => {
      const pack = (out: string) => runSvc("app", "pack", app, "--key", key, "--out", placeOf(out), "--json");
      const { status, stdout } = pack("one.svcpkg");
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ file: placeOf("one.svcpkg"), name, version: "0.1.0" });
      expect(pack("two.svcpkg").status).toBe(0);
      const [one, two] = ["one.svcpkg", "two.svcpkg"].map((file) => readFileSync(placeOf(file)));
      expect(two).toEqual(one);
      const signature = Buffer.from(readFileSync(placeOf("one.svcpkg.sig"), "utf8"), "hex");
      const digest = createHash("sha256")
        .update(one ?? "")
        .digest();
      expect(verify(null, digest, createPublicKey(publisher.pem), signature)).toBe(true);
    });

    test("a package goes to the directory build by default", () => {
      expect(runSvc("app", "pack", app, "--key", key).status).toBe(0);
      const made = readdirSync(path.join(app, "build"));
      expect(made).toEqual(expect.arrayContaining([`${name}-0.1.0.svcpkg`, `${name}-0.1.0.svcpkg.sig`]));
    });

    test("messages of the compiler are shown unchanged", () => {
      edit(source, (text) => `${text}\nthis is no program;\n`);
      const { status, stdout, stderr } = runSvc("app", "build", app);
      expect([status, stdout]).toEqual([1, ""]);
      const lines = stderr.trimEnd().split("\n");
      expect(lines.at(-1)).toBe(`svc: compile_failed: Cannot compile ${source}`);
      expect(lines.slice(0, -1).join("\n")).toContain("this is no program");
      const { error, message } = JSON.parse(runSvc("app", "build", app, "--json").stderr);
      expect(error).toBe("compile_failed");
      expect(message).toContain("this is no program");
      edit(source, (text) => text.replace("\nthis is no program;\n", ""));
    });

    test("what a console would reject is rejected here with the same code", () => {
      edit("manifest.json", (text) => text.replace(', "gpio.read"', ""));
      const { status, stderr } = runSvc("app", "build", app);
      expect(status).toBe(1);
      expect(stderr).toBe(
        'svc: capability_missing: Cannot import "svc.buttons": the manifest does not declare "gpio.read"\n',
      );
      edit("manifest.json", (text) => text.replace('"display.write"', '"display.write", "gpio.read"'));
    });

    // docs/spec/app-packages.md#icon
    test("an icon that a console would reject is rejected here, with the reason", () => {
      const icon = readFileSync(path.join(app, "icon_32.bmp"));
      writeFileSync(path.join(app, "icon_32.bmp"), bitmap({ width: 16, height: 16 }));
      for (const args of [
        ["build", app],
        ["pack", app, "--key", key],
      ]) {
        const { status, stdout, stderr } = runSvc("app", ...args);
        expect([status, stdout]).toEqual([1, ""]);
        expect(stderr).toBe(
          'svc: icon_invalid: Cannot accept "icon_32.bmp": it must be an uncompressed BMP of 32 by 32 pixels, but it has 16 by 16 pixels\n',
        );
      }
      writeFileSync(path.join(app, "icon_32.bmp"), icon);
    });
  });

describe("svc app rejects", { timeout: SVC_TIMEOUT_MS }, () => {
  const REFUSED = [
    {
      name: "a directory that is not empty",
      args: ["new", "full", "--lang", "c"],
      code: "directory_not_empty",
    },
    {
      name: "a name that is not an app's name",
      args: ["new", "my app", "--lang", "c"],
      code: "name_invalid",
    },
    { name: "a name that is hidden", args: ["new", ".app", "--lang", "c"], code: "name_invalid" },
    { name: "to build a directory without a manifest", args: ["build", "full"], code: "source_missing" },
    { name: "to build a directory that does not exist", args: ["build", "nothing"], code: "source_missing" },
    { name: "to build a directory without sources", args: ["build", "empty"], code: "source_missing" },
    { name: "a manifest that consoles reject", args: ["build", "bad"], code: "manifest_invalid" },
  ];
  beforeAll(() => {
    for (const name of ["full", "empty", "bad"]) mkdirSync(placeOf(name));
    writeFileSync(placeOf("full/file"), "");
    writeFileSync(
      placeOf("empty/manifest.json"),
      JSON.stringify({ name: "empty", version: "1.0.0", capabilities: [], memory_quota: 65536 }),
    );
    writeFileSync(placeOf("bad/manifest.json"), "{}");
    writeFileSync(placeOf("bad/main.ts"), "export function main(): void {}");
  });

  for (const { name, args, code } of REFUSED)
    test(name, () => {
      const [verb = "", directory = "", ...rest] = args;
      const { status, stdout, stderr } = runSvc("app", verb, placeOf(directory), ...rest);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(new RegExp(`^svc: ${code}: `));
      expect(readdirSync(temporary.path)).not.toContain("my app");
    });

  test.skipIf(process.platform !== "linux")("a directory that the system cannot create: in /proc", () => {
    const { status, stderr } = runSvc("app", "new", "/proc/blocks", "--lang", "c");
    expect(status).toBe(1);
    expect(stderr).toContain('file_not_written: Cannot write to "/proc/blocks": no such file or directory\n');
  });

  test("to sign with a key that does not exist", () => {
    rmSync(placeOf("nokey.pem"), { force: true });
    const { status, stderr } = runSvc("app", "pack", placeOf("empty"), "--key", placeOf("nokey.pem"));
    expect(status).toBe(1);
    expect(stderr).toContain(`Cannot read "${placeOf("nokey.pem")}": no such file`);
  });
});
