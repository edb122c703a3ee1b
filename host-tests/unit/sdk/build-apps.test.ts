import { execFileSync, spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ABI, ABI_MODULE } from "../../../device/wasm/abi.js";
import { readIcon } from "../../../protocol/package/icon.js";
import { buildApps } from "../../../sdk/build-apps.js";
import { LAUNCHER } from "../../../tools/launcher.js";
import { makeDevelopmentKeys, provideTrustedKeys } from "../../../tools/trusted-keys.js";
import { isMissing, lacksCompiler } from "../../hosts/peers.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { AppHost } from "./app-host.js";
import { COMPILE_TIMEOUT_MS } from "./examples.js";
import { customSections, describeModule, isValid } from "./web-assembly.js";

/** Apps of one page of memory, and an app in Python, which has a runtime (python.test.ts). */
const IN_C = ["counter", "lamp"];
const SMALL_APPS = [
  ...["beats", "bricks", "clock", "notice", "plot", "sketch"],
  ...(isMissing("clang") ? [] : IN_C),
].sort();
const APPS = [...SMALL_APPS, ...(lacksCompiler("rust") ? [] : ["comets"]), "snake"].sort();
const root = path.join(import.meta.dirname, "../../..");
const temporary = temporaryDirectory();
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const key = path.join(temporary.path, "key.pem");
const out = path.join(temporary.path, "apps");

let outcome: Awaited<ReturnType<typeof buildApps>>;
beforeAll(async () => {
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  outcome = await buildApps({ out, key });
}, RUNTIME_TIMEOUT_MS);
afterAll(() => temporary.remove());

function output(file: string): Buffer {
  return readFileSync(path.join(out, file));
}

function source(app: string, file: string): Buffer {
  return readFileSync(path.join(root, "sdk/examples", app, file));
}

/** Members of a package by name, as the system's tar unpacks them. */
function unpack(file: string): Map<string, Buffer> {
  const directory = path.join(temporary.path, path.basename(file));
  mkdirSync(directory, { recursive: true });
  execFileSync("tar", ["-xzf", path.join(out, file), "-C", directory]);
  return new Map(
    readdirSync(directory).map((name) => [name, readFileSync(path.join(directory, name))] as const),
  );
}

function isSigned(file: string): boolean {
  const digest = createHash("sha256").update(output(file)).digest();
  const signature = output(`${file}.sig`).toString();
  return /^[0-9a-f]{128}$/.test(signature) && verify(null, digest, publicKey, Buffer.from(signature, "hex"));
}

describe("buildApps", { timeout: COMPILE_TIMEOUT_MS }, () => {
  test("builds every example, and names the reason for a skipped one", () => {
    expect(outcome.built.map(({ name }) => name)).toEqual(APPS);
    expect(outcome.skipped.map(({ name }) => name)).toEqual(isMissing("clang") ? IN_C : []);
  });

  test("writes package, module and their signatures, and nothing else", () => {
    const files = APPS.flatMap((app) =>
      [".svcpkg", ".svcpkg.sig", ".wasm", ".wasm.sig"].map((end) => app + end),
    );
    expect(readdirSync(out).sort()).toEqual(files.sort());
  });

  test("returns a package's size and path", () => {
    for (const app of outcome.built) {
      expect(app.package).toBe(path.join(out, `${app.name}.svcpkg`));
      expect(app.bytes).toBe(readFileSync(app.package).length);
    }
  });

  test("gives the same bytes on each run", async () => {
    const again = path.join(temporary.path, "again");
    await buildApps({ out: again, key });
    for (const file of readdirSync(out))
      expect(readFileSync(path.join(again, file)).equals(output(file)), file).toBe(true);
  });

  test("builds only the requested apps", async () => {
    const { built } = await buildApps({ out: path.join(temporary.path, "one"), key, only: ["clock"] });
    expect(built.map(({ name }) => name)).toEqual(["clock"]);
  });

  test("rejects a name that is not an example", async () => {
    await expect(buildApps({ out, key, only: ["tetris"] })).rejects.toThrow(
      'Cannot build "tetris": the examples are beats, bricks, clock, comets, counter, lamp, notice, plot, sketch, snake',
    );
  });

  test("rejects a key that cannot sign packages", async () => {
    const file = path.join(temporary.path, "p256.pem");
    const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(file, pair.privateKey.export({ type: "pkcs8", format: "pem" }));
    await expect(buildApps({ out, key: file })).rejects.toThrow(/its key is of type ec, not ed25519/);
  });
});

for (const app of APPS)
  describe(`the package of ${app}`, () => {
    test("contains the module, the manifest and the icon", () => {
      const members = unpack(`${app}.svcpkg`);
      expect([...members.keys()].sort()).toEqual(["app.wasm", "icon_32.bmp", "manifest.json"]);
      expect(members.get("icon_32.bmp")).toEqual(source(app, "icon_32.bmp"));
      expect(members.get("manifest.json")).toEqual(source(app, "manifest.json"));
      expect(members.get("app.wasm")).toEqual(output(`${app}.wasm`));
    });

    test("has an icon that consoles accept, with 16 colours", () => {
      expect(readIcon(source(app, "icon_32.bmp"))).toMatchObject({ bitsPerPixel: 4 });
    });

    test("is signed, and so is the bare module", () => {
      expect(isSigned(`${app}.svcpkg`)).toBe(true);
      expect(isSigned(`${app}.wasm`)).toBe(true);
    });
  });

for (const app of SMALL_APPS)
  describe(`the module of ${app}`, () => {
    test("is valid and small", () => {
      const module = output(`${app}.wasm`);
      expect(isValid(module)).toBe(true);
      expect(module.length).toBeLessThan(20 * 1024);
    });

    test("contains its manifest and the names of its functions", () => {
      const module = output(`${app}.wasm`);
      expect(customSections(module, "svc_manifest")).toEqual([Uint8Array.from(source(app, "manifest.json"))]);
      expect(customSections(module, "name")).toHaveLength(1);
    });

    test("imports only what its capabilities allow, and uses each of them", () => {
      const { capabilities } = JSON.parse(source(app, "manifest.json").toString());
      const used = new Set<string>();
      for (const { module, name, kind } of describeModule(output(`${app}.wasm`)).imports) {
        expect([module, kind], name).toEqual([ABI_MODULE, "function"]);
        const declared = ABI.find((entry) => entry.name === name);
        expect(declared, name).toBeDefined();
        if (declared?.capability) used.add(declared.capability);
      }
      expect([...used].sort()).toEqual([...capabilities].sort());
    });

    test("exports main without parameters, and one page of memory that does not grow", () => {
      const host = new AppHost();
      const { main, memory } = host.load(output(`${app}.wasm`));
      expect(main).toHaveLength(0);
      expect(memory.buffer.byteLength).toBe(65536);
      expect(() => memory.grow(1)).toThrow(RangeError);
    });
  });

test("a console's first start trusts the development key that the build created", async () => {
  const state = path.join(temporary.path, "state");
  const file = makeDevelopmentKeys(path.join(state, "keys"));
  await provideTrustedKeys(state, undefined);
  expect(readFileSync(path.join(state, "lfs/hub/trusted_keys.pem"))).toEqual(readFileSync(file));
});

describe("npm run build:apps", { timeout: COMPILE_TIMEOUT_MS }, () => {
  function run(...flags: string[]) {
    return spawnSync(process.execPath, [LAUNCHER, "sdk/build-apps.ts", ...flags], {
      cwd: root,
      encoding: "utf8",
    });
  }

  test("prints one line per app: name, bytes, path", () => {
    const directory = path.join(temporary.path, "line");
    const { status, stdout } = run("--key", key, "--out", directory, "clock");
    const file = path.relative(root, path.join(directory, "clock.svcpkg"));
    expect(stdout).toBe(`clock ${output("clock.svcpkg").length} ${file}\n`);
    expect(status).toBe(0);
  });

  test("exits with status 2 for an unknown flag", () => {
    const { status, stderr } = run("--kee", key);
    expect(status).toBe(2);
    expect(stderr).toContain("--kee");
  });

  test("exits with status 1 and a message if it cannot sign", () => {
    const { status, stderr } = run("--key", path.join(temporary.path, "missing.pem"), "--out", out);
    expect(status).toBe(1);
    expect(stderr).toContain("missing.pem");
  });
});
