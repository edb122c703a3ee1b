/** Building apps in Python, and the runtime that they get, in Node. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ABI } from "../../../device/wasm/abi.js";
import { FIRMWARE_CAPABILITY } from "../../../protocol/capabilities.js";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { buildRuntime } from "../../../sdk/python/runtime.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { AppHost } from "./app-host.js";
import { describeModule } from "./web-assembly.js";

const temporary = temporaryDirectory();
beforeAll(() => buildRuntime(), RUNTIME_TIMEOUT_MS);
afterAll(() => temporary.remove());

let count = 0;

/** Builds an app of that script. */
function built(script: string, manifest: object = {}) {
  const directory = path.join(temporary.path, `app-${count++}`);
  mkdirSync(directory);
  const fields = { name: "script", version: "1.0.0", capabilities: [], memory_quota: 262_144, ...manifest };
  writeFileSync(path.join(directory, "manifest.json"), JSON.stringify(fields));
  writeFileSync(path.join(directory, "main.py"), script);
  return buildApp(directory);
}

/** Runs an app of that script. @returns what it has logged */
async function logged(script: string, manifest: object = {}): Promise<string[]> {
  const { module } = await built(script, manifest);
  const host = new AppHost();
  host.run(module, () => undefined);
  return host.log.map(({ text }) => text);
}

describe("An app in Python", { timeout: RUNTIME_TIMEOUT_MS }, () => {
  test("imports what its manifest permits, and nothing but the ABI", async () => {
    const importsOf = async (capabilities: readonly string[]) => {
      const { imports } = describeModule((await built("", { capabilities })).module);
      expect(new Set(imports.map(({ module }) => module))).toEqual(new Set(["svc"]));
      return imports.map(({ name }) => name);
    };
    const least = await importsOf([]);
    for (const { name, capability } of ABI) if (capability) expect(least).not.toContain(name);
    expect(await importsOf(["gpio.read"])).toEqual(
      expect.arrayContaining([...least, "buttons", "gpio_read"]),
    );
  });

  test("runs with the least quota, and has more memory with a larger one", async () => {
    const free = async (memory_quota: number) =>
      Number((await logged("import gc; print(gc.mem_free())", { memory_quota }))[0]);
    const least = await free(262_144);
    expect(least).toBeGreaterThan(40_000);
    expect(await free(327_680)).toBeGreaterThan(least + 60_000);
  });

  test("has every function of the ABI in its module svc", async () => {
    const names = (await logged("import svc; print(dir(svc))")).join("");
    const ofRuntimes = ["script_size", "script_read", "stack_left"];
    for (const { name, capability } of ABI)
      if (capability !== FIRMWARE_CAPABILITY && !ofRuntimes.includes(name))
        expect(names).toContain(`'${name}'`);
      else expect(names).not.toContain(`'${name}'`);
  });

  test("gives the same bytes from the same sources", async () => {
    expect((await built("print(1)")).package).toEqual((await built("print(1)")).package);
  });

  test("may hold quotes, escapes, other letters and no line's end", async () => {
    const script = "print('\"', \"'\", '\\\\n', 'ä€😀', '''a\nb''')";
    expect(await logged(script)).toEqual(["\" ' \\n ä€😀 a", "b"]);
  });

  const REFUSED = [
    {
      name: "a quota below 262144 bytes",
      manifest: { memory_quota: 262_143 },
      says: 'Cannot accept a manifest whose "memory_quota" is below 262144 bytes, as a script needs',
    },
    {
      name: "a function that the manifest does not permit",
      script: "import svc\n# svc.net_close is a comment\nif False: svc.buttons()\n",
      says: 'Cannot import "svc.buttons": the manifest does not declare "gpio.read"',
    },
    {
      name: "a syntax error",
      script: "x = 1\nif x print(x)\n",
      says: 'Cannot compile main.py: Traceback (most recent call last):\n  File "main.py", line 2\n    if x print(x)\nSyntaxError: invalid syntax',
    },
    {
      name: "a wrong indentation",
      script: "def f():\nreturn 1\n",
      says: 'File "main.py", line 2\n    return 1\nSyntaxError: invalid syntax',
    },
  ];
  for (const { name, script = "", manifest = {}, says } of REFUSED)
    test(`is refused for ${name}`, async () => {
      await expect(built(script, manifest)).rejects.toThrow(says);
    });

  test("is refused for a script that makes it longer than an app may be", async () => {
    await expect(built("# a comment\n".repeat(50_000))).rejects.toMatchObject({
      code: "package_too_large",
    });
  });
});
