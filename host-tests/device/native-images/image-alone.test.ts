/** Packages whose `app.wasm` is machine code, on a console that runs it (docs/spec/aot.md#alone). */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAULT_STATUS, type FaultCode } from "../../../protocol/fault.js";
import { NATIVE_HEAD_BYTES } from "../../../protocol/native-image.js";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { buildNativeImage } from "../../../sdk/builder/native/build-image.js";
import type { NativeImage } from "../../../sdk/builder/native/image-writer.js";
import {
  installInHttpChunks,
  installOverHttp,
  installOverUsb,
  type Upload,
} from "../../hosts/app-clients.js";
import { type AppConsole, installedFiles, startAppConsole } from "../../hosts/app-console.js";
import { manifestOf, moduleOf, packageOf, type TestManifest } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { overUsb } from "../../hosts/usb-client.js";
import { aotFile } from "../../unit/services/apps/aot-file.js";
import { imageOf, imagePackage, resealed, sealed } from "../../unit/services/apps/native-images.js";
import { showsPicture } from "../apps/app-picture.js";

const temporary = temporaryDirectory();
const publisher = new Publisher();
afterAll(() => temporary.remove());

async function compiled(text: string, fields: Partial<TestManifest> = {}): Promise<Uint8Array> {
  const { memory_quota, capabilities } = manifestOf(fields);
  const manifest = { entry: "main", memory_quota, capabilities: capabilities as never };
  return buildNativeImage(await moduleOf(`(module ${text})`), manifest, "native");
}

const signed = (file: Uint8Array, by = publisher) => ({ file, signature: by.sign(file) });

/** Lets the process have that many bytes of addresses more than it has, or any number. */
function limitMemory(pid: number, more?: number): void {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[0]);
  const limit = more === undefined ? "unlimited" : pages * 4096 + more;
  execFileSync("prlimit", ["--pid", `${pid}`, `--as=${limit}:unlimited`]);
}

/** Computes for a moment, so that it does not end before it is seen to run. */
const COUNTING = `(import "svc" "sleep_ms" (func $sleep (param i32)))
  (memory 1)
  (func $main (export "main") (result i32)
    (call $sleep (i32.const 200))
    (i32.store (i32.const 8) (i32.const 40))
    (i32.add (i32.load (i32.const 8)) (i32.const 2)))`;

describe("A package of an image alone", () => {
  let image: Uint8Array;
  let upload: Upload & { readonly signature: string };
  let drive: string;
  let first: unknown;
  beforeAll(async () => {
    image = await compiled(COUNTING);
    upload = signed(imagePackage(image));
    drive = mkdtempSync(path.join(tmpdir(), "drive-"));
    mkdirSync(path.join(drive, "apps"));
    writeFileSync(path.join(drive, "apps/tetris.svcpkg"), upload.file);
    writeFileSync(path.join(drive, "apps/tetris.svcpkg.sig"), upload.signature);
  });
  afterAll(() => rmSync(drive, { recursive: true, force: true }));

  const METHODS: readonly {
    readonly name: string;
    readonly flags?: () => string[];
    install(console: AppConsole): Promise<unknown>;
  }[] = [
    { name: "over HTTP", install: (console) => installOverHttp(console, upload) },
    { name: "over HTTP in chunks", install: (console) => installInHttpChunks(console, upload, 687) },
    {
      name: "over USB",
      install: (console) => overUsb(console, (usb) => installOverUsb(usb, upload, 3072)),
    },
    { name: "from the SD card", flags: () => ["--sd", drive], install: async () => {} },
    {
      name: "from the USB drive",
      flags: () => ["--usb-drive", drive],
      install: (console) => console.shell("app scan usb"),
    },
  ];
  for (const { name, flags, install } of METHODS)
    test(`that comes ${name} gives the same files and entry, and runs as machine code`, async () => {
      const console = await startAppConsole({ publisher, ...(flags && { flags: flags() }) });
      try {
        await install(console);
        const [entry] = await console.apps();
        expect(entry).toMatchObject({ name: "tetris", variants: ["native"], size_bytes: image.length });
        const files = installedFiles(console.state);
        expect(Object.keys(files).sort()).toEqual(["apps/tetris/1.native.aot", "apps/tetris/app.json"]);
        first ??= { files, entry };
        expect({ files, entry }).toEqual(first);
        expect((await console.app("start")).body).toMatchObject({ state: "running", engine: "aot" });
        const { last_exit } = await console.until((app) => app.last_exit);
        expect(last_exit).toMatchObject({ reason: "exit", code: 42 });
      } finally {
        expect(await console.stop()).toBe(0);
      }
    });
});

describe("On one console,", () => {
  let console: AppConsole;
  beforeAll(async () => {
    console = await startAppConsole({ publisher });
  });
  afterAll(async () => {
    expect(await console.stop()).toBe(0);
  });
  const install = async (file: Uint8Array) =>
    expect(await installOverHttp(console, signed(file))).toMatchObject({ status: 200 });

  /** Runs the app to its end. */
  async function ending(file: Uint8Array) {
    await install(file);
    const { body } = await console.app("start");
    const { last_exit } = await console.until(({ state }) => state === "stopped");
    await console.app("uninstall");
    return { engine: body.engine, ...last_exit };
  }

  test("it ends as its module does: with its code, and with a trap and the names on its stack", async () => {
    const DIVIDING = `(memory 1)
      (func $divide (param i32) (result i32) (i32.div_s (i32.const 1) (local.get 0)))
      (func $main (export "main") (result i32) (call $divide (i32.const 0)))`;
    for (const text of [COUNTING, DIVIDING]) {
      const interpreted = await ending(packageOf(await moduleOf(`(module ${text})`)));
      const image = await ending(imagePackage(await compiled(text)));
      const { at_ms: _, ...ends } = image;
      expect(ends).toMatchObject({ engine: "aot", reason: interpreted.reason });
      expect([image.code, image.message?.split("@")[0]]).toEqual([
        interpreted.code,
        interpreted.message?.split("@")[0],
      ]);
    }
    expect(console.stderr.join("\n")).toMatch(/trap: .*divide.* in divide < main/);
  });

  test("capabilities are checked at each call, though its imports were not when it came", async () => {
    const DRAWING = `(import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32)))
      (memory 1)
      (func (export "main")
        (call $fill (i32.const 0) (i32.const 0) (i32.const 9) (i32.const 9) (i32.const 0xffff)))`;
    const capabilities = ["display.write"];
    const image = await compiled(DRAWING, { capabilities });
    expect(await ending(imagePackage(image, { capabilities }))).toMatchObject({ reason: "exit" });
    expect(await ending(imagePackage(image))).toMatchObject({
      engine: "aot",
      reason: "trap",
      message: "capability",
    });
  });

  test("the manifest's quota limits its memory, whatever it was made for", async () => {
    const GROWING = `(memory 1)
      (func (export "main") (result i32) (memory.grow (i32.const 3)))`;
    const image = await compiled(GROWING, { memory_quota: 262_144 });
    const within = (memory_quota: number) => ending(imagePackage(image, { memory_quota }));
    expect(await within(262_144)).toMatchObject({ engine: "aot", reason: "exit", code: 1 });
    expect(await within(196_608)).toMatchObject({ engine: "aot", reason: "exit", code: -1 });
    const large = await compiled('(memory 4) (func (export "main"))', { memory_quota: 262_144 });
    expect(await ending(imagePackage(large, { memory_quota: 65_536 }))).toMatchObject({ reason: "quota" });
  });

  test("without memory for its code it does not start, and a module runs in place of one that is beside it", async () => {
    const module = await moduleOf(`(module ${COUNTING})`);
    const large = imageOf(module, { zeroByteLength: 15 << 20 });
    await install(imagePackage(large));
    limitMemory(console.pid, 8 << 20);
    const refused = await console.app("start");
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({
      error: "out_of_memory",
      message: expect.stringContaining("there is not enough memory for it"),
    });
    await install(packageOf(module, { version: "2.0.0" }, undefined, { native: large }));
    expect((await console.app("start")).body).toMatchObject({ engine: "wasm3" });
    expect(console.stderr.join("\n")).toMatch(/runs as a module, .+ not enough memory for it/);
    limitMemory(console.pid);
    await console.app("uninstall");
  });

  describe("beside a module, which runs in its place, and the log says why, it", () => {
    const IGNORED: readonly (readonly [
      string,
      Partial<NativeImage> | ((image: Uint8Array) => Uint8Array),
      string,
    ])[] = [
      [
        "is for another machine of the architecture",
        { machine: "aarch64" },
        "it is for aarch64, and this console is x86_64",
      ],
      ["has another entry", { entry: "start" }, 'it starts at "start", and the app at "main"'],
      [
        "was made from another module",
        { moduleSha256: "0".repeat(64), preparedSha256: "0".repeat(64) },
        "it was made from another module",
      ],
      [
        "is of another ABI",
        (image) => resealed(image, (view) => view.setUint32(60, 2, true)),
        "its ABI has version 2, and this firmware has 1",
      ],
      [
        "has a function whose frame is too large for an app's stack",
        { frameBytes: 16_385 },
        "Cannot accept the AOT file: its functions have too large frames",
      ],
      [
        "is damaged",
        (image) => Uint8Array.from(image, (byte, at) => (at === NATIVE_HEAD_BYTES ? 0x90 : byte)),
        "it is damaged",
      ],
      ["is an AOT file of WAMR's", () => aotFile("x86_64"), "Cannot accept the AOT file: "],
    ];
    test.each(IGNORED)("%s", async (_, change, reason) => {
      const module = await moduleOf('(module (memory 1) (func (export "main")))');
      const native = typeof change === "function" ? change(imageOf(module)) : imageOf(module, change);
      await install(packageOf(module, {}, undefined, { native }));
      const from = console.stderr.length;
      expect((await console.app("start")).body).toMatchObject({ engine: "wasm3" });
      expect(await console.waitForLine(/is ignored: /, from)).toContain(`is ignored: ${reason}`);
      await console.until(({ state }) => state === "stopped");
      await console.app("uninstall");
    });
  });

  test("it and a module replace each other, and the stored data stays", async () => {
    const KEEPING = `(module (import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32)))
      (import "svc" "storage_size" (func $size (param i32 i32) (result i32)))
      (memory 1) (data (i32.const 0) "score") (func (export "main") (result i32)
        (if (i32.lt_s (call $size (i32.const 0) (i32.const 5)) (i32.const 0))
          (then (drop (call $write (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 3)))))
        (call $size (i32.const 0) (i32.const 5))))`;
    const keeper = await moduleOf(KEEPING);
    const capabilities = ["storage.read", "storage.write"] as const;
    const stored = async () => {
      expect((await console.app("start")).body).toMatchObject({ engine: "wasm3" });
      return (await console.until(({ state, last_exit }) => state === "stopped" && last_exit)).last_exit.code;
    };
    const names = () => Object.keys(installedFiles(console.state)).join();
    await install(packageOf(keeper, { capabilities }));
    expect(await stored()).toBe(3);
    await install(imagePackage(imageOf(keeper), { version: "1.1.0" }));
    expect(names()).not.toContain("apps/tetris/1.wasm");
    await install(packageOf(keeper, { version: "1.2.0", capabilities }));
    expect(names()).not.toContain(".aot");
    expect(await stored()).toBe(3);
    await console.app("uninstall");
  });

  test("an address far outside of its few bytes ends it, and not the console", async () => {
    const text = new Uint8Array(4).fill(0xc3);
    const short = { text, data: new Uint8Array(0), zeroByteLength: 32, limitOffset: 8, functions: [] };
    const image = imageOf(await moduleOf('(module (func (export "main")))'), {
      ...short,
      relocations: [{ at: 0x4000_0000, isOfVariable: false }],
    });
    expect(await ending(imagePackage(image))).toMatchObject({
      engine: "aot",
      message: expect.stringContaining("relocation"),
    });
  });

  test("bricks shows the same picture as an image alone and interpreted", async () => {
    const directory = path.join(temporary.path, "bricks"); // a build writes beside the sources
    cpSync(path.join(import.meta.dirname, "../../../sdk/examples/bricks"), directory, { recursive: true });
    const { package: file } = await buildApp(directory);
    const { package: native, lines } = await buildApp(directory, { imageAlone: "native" });
    expect(lines).toBeUndefined();
    for (const [engine, packed] of [
      ["wasm3", file],
      ["aot", native],
      ["wasm3", file],
    ] as const) {
      await install(packed);
      expect((await console.app("start", "bricks")).body).toMatchObject({ engine });
      await showsPicture(console, "bricks");
      expect(await console.apps()).toContainEqual(expect.objectContaining({ name: "bricks", engine }));
    }
    await console.app("uninstall", "bricks");
  });
});

describe("A console refuses, with nothing left of it and the installed version as it was,", () => {
  /** Without the role native. */
  const plain = new Publisher();
  const roles = `# roles: app\n${plain.pem}# roles: app, native\n`;
  const start = () => startAppConsole({ publisher, state, roles });
  let state: string;
  let console: AppConsole;
  let module: Uint8Array;
  let image: Uint8Array;
  beforeAll(async () => {
    state = path.join(temporary.path, "refusing");
    console = await start();
    module = await moduleOf('(module (memory 1) (func (export "main")))');
    image = imageOf(module);
    for (const [name, by] of [
      ["tetris", publisher],
      ["plain", plain],
    ] as const) {
      const older = packageOf(module, { name, version: "0.9.0" });
      expect(await installOverHttp(console, signed(older, by))).toMatchObject({ status: 200 });
    }
  });
  afterAll(async () => {
    expect(await console.stop()).toBe(0);
  });

  /** The container with another word of 32 bits in its head, under a digest that holds. */
  const withWord = (at: number, value: number) => () =>
    imagePackage(resealed(image, (view) => view.setUint32(at, value, true)));
  const REFUSED: readonly (readonly [string, () => Uint8Array, string, RegExp?])[] = [
    [
      "an image for another architecture",
      () => imagePackage(imageOf(module, { machine: "riscv32" }), { target_arch: "rv32" }),
      "module_unsupported",
      /is for rv32 \(target_arch\), but this console is native/,
    ],
    [
      "an image of another architecture than its manifest",
      () => imagePackage(imageOf(module, { machine: "riscv32" })),
      "variant_invalid",
      /made for rv32, and target_arch is native/,
    ],
    [
      "an image under a manifest that is generic",
      () => packageOf(image, { target_arch: "generic" }),
      "variant_invalid",
    ],
    ["an image under a manifest that names no architecture", () => packageOf(image), "variant_invalid"],
    [
      "an image for another machine of the architecture",
      () => imagePackage(imageOf(module, { machine: "aarch64" })),
      "module_unsupported",
      /it is for aarch64, and this console is x86_64/,
    ],
    [
      "an image of another ABI",
      withWord(60, 7),
      "module_unsupported",
      /its ABI has version 7, and this firmware has 1/,
    ],
    [
      "an image with another entry",
      () => imagePackage(image, { entry: "start" }),
      "entry_missing",
      /starts at "main", and the app at "start"/,
    ],
    [
      "a damaged image",
      () => imagePackage(Uint8Array.from(image, (byte, at) => (at === NATIVE_HEAD_BYTES ? 0 : byte))),
      "variant_invalid",
      /its digest does not hold/,
    ],
    ["an image that is cut off", () => imagePackage(image.subarray(0, -1)), "variant_invalid"],
    [
      "an image with bytes after it",
      () => imagePackage(sealed(image)),
      "variant_invalid",
      /bytes instead of/,
    ],
    ["an image whose code is over 16 MiB, it says", withWord(192, 2 ** 24 + 1), "variant_invalid"],
    ["an image whose code is longer than it, it says", withWord(192, 65), "variant_invalid"],
    ["an image with more relocations than bytes", withWord(204, 2 ** 24), "variant_invalid"],
    ["an image with an entry outside of its code", withWord(216, 64), "variant_invalid"],
    ["an image with its limit in its code", withWord(220, 8), "variant_invalid"],
    ["an image with a frame that no stack has room for", withWord(224, 16_385), "variant_invalid"],
    [
      "an AOT file of WAMR's",
      () => imagePackage(aotFile("x86_64", "x".repeat(999))),
      "variant_invalid",
      /it is not a native image/,
    ],
    [
      "an image with an AOT file beside it",
      () => imagePackage(image, {}, undefined, { native: image }),
      "package_invalid",
      /"app\.native\.aot" is beside an app\.wasm of machine code/,
    ],
    [
      "an image with an AOT file of another architecture beside it",
      () => imagePackage(image, {}, undefined, { xtensa: aotFile("xtensa") }),
      "package_invalid",
    ],
    [
      "an image with a quota of less than a page",
      () => imagePackage(image, { memory_quota: 65_535 }),
      "manifest_invalid",
    ],
    [
      "an older image than the module installed",
      () => imagePackage(image, { version: "0.8.0" }),
      "version_older",
    ],
  ];
  for (const [what, file, error, says = /./] of REFUSED)
    test(what, async () => {
      const before = await console.trace();
      const refused = await installOverHttp(console, signed(file()));
      expect(refused).toMatchObject({
        status: FAULT_STATUS[error as FaultCode],
        body: { error, message: expect.stringMatching(says) },
      });
      expect(await console.trace()).toEqual(before);
    });

  test("an image of a publisher without the role native", async () => {
    const before = await console.trace();
    const from = console.stderr.length;
    const refused = await installOverHttp(console, signed(imagePackage(image, { name: "plain" }), plain));
    expect(refused).toMatchObject({
      status: 403,
      body: {
        error: "signature_invalid",
        message: expect.stringContaining("needs a signature by a key of role native"),
      },
    });
    expect(await console.trace()).toEqual(before);
    await console.waitForLine(/ E apps: rejected a file: .*role native$/, from);
  });

  test("an AOT file by itself for an image alone", async () => {
    expect(await installOverHttp(console, signed(imagePackage(image, { name: "alone" })))).toMatchObject({
      status: 200,
    });
    const before = await console.trace();
    for (const file of [image, aotFile("xtensa")])
      expect(await installOverHttp(console, { ...signed(file), name: "alone" })).toMatchObject({
        status: 422,
        body: { error: "variant_invalid", message: expect.stringContaining("update its package") },
      });
    expect(await console.trace()).toEqual(before);
  });

  test("to start an image that was damaged in storage, after a restart, and still lists it", async () => {
    expect(await installOverHttp(console, signed(imagePackage(image, { name: "worn" })))).toMatchObject({
      status: 200,
    });
    await console.stop();
    const stored = path.join(state, "lfs/apps/worn/1.native.aot");
    const bytes = readFileSync(stored);
    bytes[NATIVE_HEAD_BYTES] = 0;
    writeFileSync(stored, bytes);
    console = await start();
    expect(await console.app("start", "worn")).toMatchObject({
      status: 500,
      body: { error: "module_damaged" },
    });
    const entry = (await console.apps()).find(({ name }) => name === "worn");
    expect(entry).toMatchObject({ state: "stopped", variants: ["native"] });
    expect((await console.app("uninstall", "worn")).status).toBe(200);
  });
});
