/** Apps of an image alone: taken, started, replaced and refused (docs/spec/aot.md#alone). */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppData } from "../../../../device/services/apps/app-data.js";
import {
  findNativeImage,
  isRefusal,
  loadNativeImage,
} from "../../../../device/services/apps/native-image-file.js";
import { RevocationsFile } from "../../../../device/services/trust/revocations-file.js";
import { writeRevocationList } from "../../../../protocol/keys/revocation-list.js";
import { NATIVE_HEAD_BYTES, payloadByteLength, readNativeHead } from "../../../../protocol/native-image.js";
import { moduleOf, packageOf, type TestManifest } from "../../../hosts/app-files.js";
import { bitmap } from "../../../hosts/bitmap.js";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { NodeDigest, nodeMemory } from "../../../hosts/node-bytes.js";
import { Publisher } from "../../../hosts/publisher.js";
import { seededRandom } from "../../../hosts/seeded-random.js";
import { aotFile } from "./aot-file.js";
import { linesOf } from "./emulated-apps.js";
import {
  type EmulatedInstaller,
  emulatedInstaller,
  type InstallOptions,
  traceOf,
  trust,
} from "./emulated-installer.js";
import { imageOf, imagePackage, resealed, sealed } from "./native-images.js";

const publisher = new Publisher();
/** Without the role native. */
const plainPublisher = new Publisher();
const hub = new Publisher();

const KEYS = [
  `# roles: app, native\n${publisher.pem}`,
  `# roles: app\n${plainPublisher.pem}`,
  `# roles: hub, native, firmware\n${hub.pem}`,
].join("");

let module: Uint8Array;
let image: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
  image = imageOf(module);
});

let console: EmulatedInstaller;
beforeEach(() => {
  const storage = new EmulatedStorage();
  trust(storage, KEYS);
  console = emulatedInstaller({ storage });
});

class WithoutMachineCode extends EmulatedGuest {
  static override readonly machine = undefined;
}

class WithoutMemory extends EmulatedGuest {
  constructor(options: ConstructorParameters<typeof EmulatedGuest>[0]) {
    super(options);
    throw new Error("no memory");
  }
}

const packaged = (fields: Partial<TestManifest> = {}, file = image) => imagePackage(file, fields);

const install = (file: Uint8Array, by = publisher, options: InstallOptions = {}) =>
  console.install(file, { signature: by.sign(file), ...options });

const installedImage = () => {
  const { variants } = console.store.record("tetris");
  return `apps/tetris/${variants[0]?.file}`;
};

describe("An image alone", () => {
  test("is installed with its size and architecture, and without a module", async () => {
    expect(await install(packaged({ version: "1.2.3" }))).toMatchObject({
      ...{ name: "tetris", version: "1.2.3", state: "stopped" },
      ...{ variants: ["native"], size_bytes: image.length },
    });
    expect([...console.storage.files.scan("apps/tetris")].sort()).toEqual(["1.native.aot", "app.json"]);
    expect(console.store.record("tetris")).not.toHaveProperty("module");
  });

  test("has an icon, which counts", async () => {
    const icon = bitmap();
    const entry = await install(imagePackage(image, {}, icon));
    expect(entry).toMatchObject({ icon: true, size_bytes: image.length + icon.length });
  });

  test("runs as machine code, with its capabilities and quota, and its parts in their order", async () => {
    await install(packaged({ capabilities: ["display.write"], memory_quota: 131_072 }));
    expect(console.apps.start("tetris")).toMatchObject({ state: "running", engine: "aot" });
    const { layout } = readNativeHead(image, image.length);
    const end = NATIVE_HEAD_BYTES + payloadByteLength(layout);
    const { options, module: loaded, entry } = console.guest();
    expect(options).toMatchObject({ image: layout, moduleByteLength: end - NATIVE_HEAD_BYTES });
    expect(options).toMatchObject({ capabilities: 1, memoryQuotaBytes: 131_072 });
    expect(options).not.toHaveProperty("script");
    expect(Uint8Array.from(loaded)).toEqual(new Uint8Array(image.subarray(NATIVE_HEAD_BYTES, end)));
    expect(entry).toBe("main");
    expect(linesOf(console.log).join()).not.toContain("ignored");
  });

  test("is there after a restart, and runs", async () => {
    await install(packaged());
    console = emulatedInstaller({ storage: console.storage });
    expect(console.apps.entry("tetris")).toMatchObject({ variants: ["native"], size_bytes: image.length });
    expect(console.apps.start("tetris")).toMatchObject({ engine: "aot" });
  });

  test("takes whatever module its digests name, as there is none", async () => {
    const of = { moduleSha256: "0".repeat(64), preparedSha256: "0".repeat(64) };
    await install(packaged({}, imageOf(module, of)));
    expect(console.apps.start("tetris")).toMatchObject({ engine: "aot" });
  });

  test("keeps the user's choice, and is uninstalled as any app", async () => {
    await install(packaged());
    console.apps.allowBehind("tetris", true);
    expect(console.apps.entry("tetris")).toMatchObject({ background: true, variants: ["native"] });
    await console.apps.uninstall("tetris");
    expect(traceOf(console)).toMatchObject({ list: [], names: [] });
  });

  test("comes from a drive, if it is newer", async () => {
    const drive = (file: Uint8Array) => {
      const directory = new EmulatedStorage().files;
      directory.createDirectory("apps");
      const write = (name: string, bytes: Uint8Array) => {
        const opened = directory.openFile({ path: `apps/${name}`, mode: "w" });
        opened.write(bytes, 0);
        opened.close();
      };
      write("tetris.svcpkg", file);
      write("tetris.svcpkg.sig", Buffer.from(publisher.sign(file)));
      return directory;
    };
    expect(await console.drives.scan(drive(packaged()))).toMatchObject([{ entry: { variants: ["native"] } }]);
    const again = await console.drives.scan(drive(packaged()));
    expect(again).toMatchObject([{ refusal: { code: "app_not_newer" } }]);
    await console.drives.scan(drive(packaged({ version: "1.0.1" })));
    expect(console.apps.entry("tetris").version).toBe("1.0.1");
  });

  test("comes from a hub that signs, if the console trusts the publisher's own key for machine code", async () => {
    const fromHub = (by: Publisher) => {
      const file = packaged();
      const signature = hub.sign(file);
      return console.install(file, { signature, publisher: hub.vouchFor(by, file) });
    };
    for (const by of [plainPublisher, new Publisher()])
      await expect(fromHub(by)).rejects.toMatchObject({ code: "signature_invalid" });
    expect(await fromHub(publisher)).toMatchObject({ variants: ["native"] });
  });
});

describe("Between a module and an image alone,", () => {
  test("each replaces the other of the same publisher, and the stored data stays", async () => {
    await install(packageOf(module));
    const data = new AppData(console.storage.files, "tetris");
    expect(data.write("score", { byteLength: 1, read: () => 1 })).toBe(0);
    console.apps.start("tetris");
    await install(packaged({ version: "1.1.0" }));
    expect([...console.storage.files.scan("apps/tetris")]).not.toContain("1.wasm");
    expect(console.apps.start("tetris")).toMatchObject({ version: "1.1.0", engine: "aot" });
    await install(packageOf(module, { version: "1.2.0" }));
    expect([...console.storage.files.scan("apps/tetris")]).not.toContain("2.native.aot");
    expect(console.apps.start("tetris")).toMatchObject({ version: "1.2.0", variants: [], engine: "wasm3" });
    expect(data.size("score")).toBe(1);
  });

  test("the rules for versions and publishers hold", async () => {
    await install(packaged({ version: "2.0.0" }));
    await expect(install(packageOf(module))).rejects.toMatchObject({ code: "version_older" });
    await expect(install(packaged({ version: "1.0.0" }))).rejects.toMatchObject({ code: "version_older" });
    const other = packageOf(module, { version: "3.0.0" });
    await expect(install(other, plainPublisher)).rejects.toMatchObject({ code: "publisher_mismatch" });
    await install(packageOf(module, { version: "3.0.0" }));
    expect(console.apps.entry("tetris")).toMatchObject({ version: "3.0.0", variants: [] });
  });
});

/** The container with another word of 32 bits in its head, under a digest that holds. */
const withWord = (at: number, value: number) => resealed(image, (view) => view.setUint32(at, value, true));

interface Refusal {
  readonly name: string;
  readonly file: () => Uint8Array;
  readonly by?: Publisher;
  readonly code: string;
  readonly says?: RegExp;
}

const REFUSALS: readonly Refusal[] = [
  {
    name: "signed by a key without the role native",
    file: () => packaged({ version: "2.0.0" }),
    by: plainPublisher,
    code: "signature_invalid",
    says: /needs a signature by a key of role native/,
  },
  {
    name: "of another architecture than the console",
    file: () => packaged({ target_arch: "rv32" }, imageOf(module, { machine: "riscv32" })),
    code: "module_unsupported",
    says: /is for rv32 \(target_arch\), but this console is native/,
  },
  {
    name: "of another architecture than its manifest",
    file: () => packaged({}, imageOf(module, { machine: "riscv32" })),
    code: "variant_invalid",
    says: /made for rv32, and target_arch is native/,
  },
  {
    name: "under a manifest that is generic",
    file: () => packaged({ target_arch: "generic" }),
    code: "variant_invalid",
    says: /made for native, and target_arch is generic/,
  },
  {
    name: "under a manifest that names no architecture",
    file: () => packageOf(image),
    code: "variant_invalid",
  },
  {
    name: "for another machine of the architecture",
    file: () => packaged({}, imageOf(module, { machine: "aarch64" })),
    code: "module_unsupported",
    says: /it is for aarch64, and this console is x86_64/,
  },
  {
    name: "of a newer ABI",
    file: () => packaged({}, withWord(60, 2)),
    code: "module_unsupported",
    says: /its ABI has version 2, and this firmware has 1/,
  },
  {
    name: "with another entry than its manifest",
    file: () => packaged({ entry: "start" }),
    code: "entry_missing",
    says: /starts at "main", and the app at "start"/,
  },
  {
    name: "that is an AOT file of WAMR's",
    file: () => packaged({}, aotFile("x86_64")),
    code: "variant_invalid",
  },
  {
    name: "that is a longer AOT file of WAMR's",
    file: () => packaged({}, aotFile("x86_64", "x".repeat(1000))),
    code: "variant_invalid",
    says: /it is not a native image/,
  },
  {
    name: "with a bit of its code flipped",
    file: () => {
      const other = Uint8Array.from(image);
      other[NATIVE_HEAD_BYTES] = 0x90;
      return packaged({}, other);
    },
    code: "variant_invalid",
    says: /its digest does not hold/,
  },
  {
    name: "with a digest of nothing",
    file: () => packaged({}, Buffer.concat([image.subarray(0, -32), new Uint8Array(32)])),
    code: "variant_invalid",
  },
  {
    name: "with bytes after it",
    file: () => packaged({}, sealed(image)),
    code: "variant_invalid",
    says: /bytes instead of/,
  },
  {
    name: "whose code is over 16 MiB, it says",
    file: () => packaged({}, withWord(192, 2 ** 24 + 1)),
    code: "variant_invalid",
  },
  {
    name: "whose code is longer than it, it says",
    file: () => packaged({}, withWord(192, 65)),
    code: "variant_invalid",
  },
  {
    name: "with more relocations than bytes",
    file: () => packaged({}, withWord(204, 2 ** 24)),
    code: "variant_invalid",
  },
  {
    name: "with an entry outside of its code",
    file: () => packaged({}, withWord(216, 64)),
    code: "variant_invalid",
  },
  { name: "with its limit in its code", file: () => packaged({}, withWord(220, 8)), code: "variant_invalid" },
  {
    name: "with a frame that no stack has room for",
    file: () => packaged({}, withWord(224, 16_385)),
    code: "variant_invalid",
  },
  {
    name: "with an AOT file beside it",
    file: () => imagePackage(image, {}, undefined, { native: image }),
    code: "package_invalid",
    says: /"app\.native\.aot" is beside an app\.wasm of machine code/,
  },
  {
    name: "with an AOT file of another architecture beside it",
    file: () => imagePackage(image, {}, undefined, { xtensa: aotFile("xtensa") }),
    code: "package_invalid",
  },
  {
    name: "with a quota of less than a page",
    file: () => packaged({ memory_quota: 65_535 }),
    code: "manifest_invalid",
  },
];

describe("An image alone is refused, leaves nothing behind, and the installed version as it was,", () => {
  const older = () => packageOf(module, { version: "0.9.0" });

  async function expectRefused(
    { file, by = publisher, code, says = /./ }: Refusal,
    options?: InstallOptions,
  ) {
    const afterBoot = () => traceOf(emulatedInstaller({ storage: console.storage }));
    const before = [traceOf(console), afterBoot()];
    const refused = install(file(), by, options);
    await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    expect([...console.storage.files.scan("apps")]).not.toContain(".staging");
    expect([traceOf(console), afterBoot()]).toEqual(before);
  }

  for (const refusal of REFUSALS)
    test(refusal.name, async () => {
      await install(older(), refusal.by);
      console.apps.start("tetris");
      await expectRefused(refusal);
      expect(console.apps.entry("tetris")).toMatchObject({ version: "0.9.0", state: "running" });
    });

  test("cut off at any byte, and under a digest that holds for what is left", async () => {
    await install(older());
    const before = traceOf(console);
    const cutOff = Array.from({ length: image.length - 4 }, (_, at) => image.subarray(0, 4 + at));
    const resealedToo = cutOff.filter(({ length }) => length !== image.length - 32).map(sealed);
    for (const file of [...cutOff, ...resealedToo]) {
      await expect(install(packaged({}, file))).rejects.toMatchObject({ code: "variant_invalid" });
      expect(traceOf(console)).toEqual(before);
    }
  });

  test("over the limit of an app, packed and unpacked", async () => {
    await install(older());
    console = emulatedInstaller({ storage: console.storage, appLimitBytes: 64 * 1024 });
    const random = seededRandom(1);
    const text = Uint8Array.from({ length: 70_000 }, () => random(256));
    await expectRefused({
      name: "",
      file: () => packaged({}, imageOf(module, { text })),
      code: "file_too_large",
    });
    const zeros = imageOf(module, { text: new Uint8Array(70_000), limitOffset: 70_024, relocations: [] });
    await expectRefused({ name: "", file: () => packaged({}, zeros), code: "package_too_large" });
  });

  test("without a signature, where modules are taken without", async () => {
    console = emulatedInstaller({ storage: console.storage, allowsUnsigned: true });
    await install(older(), publisher, { signature: null });
    const refusal = { name: "", file: () => packaged(), code: "signature_missing" };
    await expectRefused(refusal, { signature: null });
  });

  test("by a console that runs no machine code", async () => {
    await install(older());
    console = emulatedInstaller({ storage: console.storage, Guest: WithoutMachineCode });
    await expectRefused({
      ...{ name: "", file: () => packaged(), code: "module_unsupported" },
      says: /this firmware cannot run machine code/,
    });
  });

  test("if a hub has ordered another version", async () => {
    await install(older());
    const origin = { ordered: { name: "tetris", version: "2.0.0" } };
    await expectRefused({ name: "", file: () => packaged(), code: "download_mismatch" }, { origin });
  });

  test("and the log tells at level error that its key may not sign machine code", async () => {
    await expect(install(packaged(), plainPublisher)).rejects.toThrow();
    expect(linesOf(console.log).at(-1)).toMatch(/^E apps: rejected a file: .*role native$/);
  });
});

describe("An AOT file by itself", () => {
  for (const [what, file] of [
    ["of the same architecture", () => image],
    ["of another architecture", () => aotFile("xtensa")],
  ] as const)
    test(`${what} is not attached to an image alone, which goes on running`, async () => {
      await install(packaged());
      console.apps.start("tetris");
      const before = traceOf(console);
      await expect(install(file(), publisher, { origin: { name: "tetris" } })).rejects.toMatchObject({
        code: "variant_invalid",
        message: expect.stringContaining("update its package"),
      });
      expect(traceOf(console)).toEqual(before);
      expect(console.apps.entry("tetris")).toMatchObject({ state: "running" });
    });
});

describe("An image alone that does not run any more does not start, and says why:", () => {
  const start = () => console.apps.start("tetris");
  const expectNoStart = (code: string, says: RegExp) => {
    expect(start).toThrow(expect.objectContaining({ code, message: expect.stringMatching(says) }));
    expect(console.apps.entry("tetris")).toMatchObject({ state: "stopped", variants: ["native"] });
  };
  const rewrite = (bytes: Uint8Array) => {
    const file = console.storage.files.openFile({ path: installedImage(), mode: "w" });
    file.write(bytes, 0);
    file.close();
  };
  beforeEach(() => install(packaged()));

  test("its key is revoked, also while it runs", async () => {
    start();
    const sign = (message: Uint8Array) => hub.signBytes(message);
    const list = { number: 1, keys: [publisher.publicKey], signer: hub.publicKey, sign };
    new RevocationsFile(console.storage.files, nodeMemory).write(writeRevocationList(list));
    await console.runner.stopRevoked();
    expectNoStart("signature_invalid", /revoked/);
    expect(linesOf(console.log)).toContain('W apps: stopping "tetris": the key that signed it is revoked');
  });

  test("the firmware has another ABI", () => {
    rewrite(withWord(60, 2));
    expectNoStart("module_unsupported", /^Cannot start machine code of "tetris": its ABI has version 2/);
  });

  test("the firmware runs no machine code", () => {
    console = emulatedInstaller({ storage: console.storage, Guest: WithoutMachineCode });
    expectNoStart("module_unsupported", /this firmware cannot run machine code/);
  });

  test("the storage is that of a console of another architecture", () => {
    const record = console.store.record("tetris");
    const variants = record.variants.map((variant) => ({ ...variant, architecture: "rv32" }));
    const file = console.storage.files.openFile({ path: "apps/tetris/app.json", mode: "w" });
    file.write(new TextEncoder().encode(JSON.stringify({ ...record, variants })), 0);
    file.close();
    expect(start).toThrow(expect.objectContaining({ code: "module_unsupported" }));
  });

  test("it is damaged in its code, or in its head", () => {
    const other = Uint8Array.from(image);
    other[NATIVE_HEAD_BYTES] = 0x90;
    rewrite(other);
    expectNoStart("module_damaged", /it is damaged/);
    expect(console.guest().isClosed).toBe(true);
    rewrite(image.subarray(0, 100));
    expectNoStart("module_damaged", /it is damaged/);
  });

  test("there is no memory for it", () => {
    console = emulatedInstaller({ storage: console.storage, Guest: WithoutMemory });
    expectNoStart("out_of_memory", /there is not enough memory for it/);
  });

  test("and an app that starts it is told so", async () => {
    rewrite(withWord(60, 2));
    expect(console.apps.startFor("tetris", "other")).toBe(-38);
    rewrite(image.subarray(0, 100));
    expect(console.apps.startFor("tetris", "other")).toBe(-5);
  });
});

describe("A record without a module", () => {
  const withRecord = (change: (record: Record<string, unknown>) => object) => {
    const record = console.store.record("tetris") as unknown as Record<string, unknown>;
    const file = console.storage.files.openFile({ path: "apps/tetris/app.json", mode: "w" });
    file.write(new TextEncoder().encode(JSON.stringify(change(record))), 0);
    file.close();
    return emulatedInstaller({ storage: console.storage });
  };

  for (const [what, variants] of [
    ["and without an image", []],
    ["whose image no key of role native has signed", [{ architecture: "native", file: "1.native.aot" }]],
  ] as const)
    test(`${what} is unreadable: the app is not listed, and its files stay`, async () => {
      await install(packaged());
      console = withRecord((record) => ({ ...record, variants }));
      expect(console.apps.names).toEqual([]);
      expect([...console.storage.files.scan("apps/tetris")].sort()).toEqual(["1.native.aot", "app.json"]);
    });
});

const MUTANTS = Number(process.env["SVC_FUZZ_IMAGES"] ?? 100_000);
const INSTALLED_MUTANTS = Math.ceil(MUTANTS / 50);

function mutated(random: (limit: number) => number): Uint8Array {
  const bytes = Uint8Array.from(image);
  for (let count = 1 + random(3); count > 0; count--) {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 + random(255));
  }
  return bytes;
}

describe("Fuzz:", () => {
  test(`none of ${MUTANTS} mutated containers is found and loaded in place of the installed one`, async () => {
    await install(packaged());
    const record = console.store.record("tetris");
    const { files } = console.storage;
    const host = { files, architecture: "native", machine: "x86_64", isRevoked: () => false };
    const stored = files.openFile({ path: installedImage(), mode: "r+" });
    const random = seededRandom(2);
    const believed: unknown[] = [];
    for (let mutant = 0; mutant < MUTANTS; mutant++) {
      const bytes = mutated(random);
      if (bytes.every((byte, at) => byte === image[at])) continue;
      stored.write(bytes, 0);
      const found = findNativeImage(host, record);
      if (!found || isRefusal(found)) continue;
      if (loadNativeImage(files, NodeDigest, found, { load: () => {} })) believed.push([mutant, [...bytes]]);
    }
    stored.close();
    expect(believed).toEqual([]);
  });

  test(`${INSTALLED_MUTANTS} mutated containers are refused or, under a digest that holds, whole: never anything else`, async () => {
    const random = seededRandom(3);
    await install(packaged());
    await console.apps.uninstall("tetris"); // the directory of apps stays
    const empty = traceOf(console);
    let taken = 0;
    for (let mutant = 0; mutant < INSTALLED_MUTANTS; mutant++) {
      const isResealed = mutant % 2 === 1;
      const bytes = isResealed ? resealed(mutated(random)) : mutated(random);
      const isSame = bytes.every((byte, at) => byte === image[at]);
      try {
        await install(packaged({}, bytes));
      } catch (error) {
        expect(error, `mutant ${mutant}`).toMatchObject({ name: "Fault", status: 422 });
        expect(traceOf(console), `mutant ${mutant}`).toEqual(empty);
        continue;
      }
      expect(isResealed || isSame, `mutant ${mutant}`).toBe(true);
      taken++;
      expect(console.apps.start("tetris")).toMatchObject({ engine: "aot" });
      await console.apps.uninstall("tetris");
      expect(traceOf(console)).toEqual(empty);
    }
    expect(taken).toBeGreaterThan(INSTALLED_MUTANTS / 10);
  });
});
