/**
 * Apps of an image alone (docs/spec/aot.md#alone), where storage, limits or firmware differ, and under mutation;
 * `device/native-images/image-alone.test.ts` has all else.
 */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RevocationsFile } from "../../../../device/services/trust/revocations-file.js";
import { writeRevocationList } from "../../../../protocol/keys/revocation-list.js";
import { NATIVE_HEAD_BYTES } from "../../../../protocol/native-image.js";
import { moduleOf, packageOf, type TestManifest } from "../../../hosts/app-files.js";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeMemory } from "../../../hosts/node-bytes.js";
import { Publisher } from "../../../hosts/publisher.js";
import { seededRandom } from "../../../hosts/seeded-random.js";
import { inTier } from "../../../tier.js";
import { linesOf } from "./emulated-apps.js";
import {
  type EmulatedInstaller,
  emulatedInstaller,
  type InstallOptions,
  traceOf,
  trust,
} from "./emulated-installer.js";
import { imageOf, imagePackage, resealed } from "./native-images.js";

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

const packaged = (fields: Partial<TestManifest> = {}, file = image) => imagePackage(file, fields);

const install = (file: Uint8Array, by = publisher, options: InstallOptions = {}) =>
  console.install(file, { signature: by.sign(file), ...options });

const installedImage = () => {
  const { variants } = console.store.record("tetris");
  return `apps/tetris/${variants[0]?.file}`;
};

/** The container with another word of 32 bits in its head, under a digest that holds. */
const withWord = (at: number, value: number) => resealed(image, (view) => view.setUint32(at, value, true));

describe("An image alone is refused, leaves nothing behind, and the installed version as it was,", () => {
  const older = () => packageOf(module, { version: "0.9.0" });

  async function expectRefused(file: Uint8Array, code: string, options?: InstallOptions) {
    const afterBoot = () => traceOf(emulatedInstaller({ storage: console.storage }));
    const before = [traceOf(console), afterBoot()];
    await expect(install(file, publisher, options)).rejects.toMatchObject({ code });
    expect([...console.storage.files.scan("apps")]).not.toContain(".staging");
    expect([traceOf(console), afterBoot()]).toEqual(before);
  }

  test("over the limit of an app, packed and unpacked", async () => {
    await install(older());
    console = emulatedInstaller({ storage: console.storage, appLimitBytes: 64 * 1024 });
    const random = seededRandom(1);
    const text = Uint8Array.from({ length: 70_000 }, () => random(256));
    await expectRefused(packaged({}, imageOf(module, { text })), "file_too_large");
    const zeros = imageOf(module, { text: new Uint8Array(70_000), limitOffset: 70_024, relocations: [] });
    await expectRefused(packaged({}, zeros), "package_too_large");
  });

  test("without a signature, where modules are taken without", async () => {
    console = emulatedInstaller({ storage: console.storage, allowsUnsigned: true });
    await install(older(), publisher, { signature: null });
    await expectRefused(packaged(), "signature_missing", { signature: null });
  });

  test("by a console that runs no machine code", async () => {
    await install(older());
    console = emulatedInstaller({ storage: console.storage, Guest: WithoutMachineCode });
    await expectRefused(packaged(), "module_unsupported");
  });

  test("if a hub has ordered another version", async () => {
    await install(older());
    const origin = { ordered: { name: "tetris", version: "2.0.0" } };
    await expectRefused(packaged(), "download_mismatch", { origin });
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
    expect(linesOf(console.log)).toContain(
      'W apps: stopping "tetris": the key that signed it is revoked or removed',
    );
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

const INSTALLED_MUTANTS = Math.ceil(
  Number(process.env["SVC_FUZZ_IMAGES"] ?? inTier({ quick: 5000, sample: 100_000, nightly: 100_000 })) / 50,
);

function mutated(random: (limit: number) => number): Uint8Array {
  const bytes = Uint8Array.from(image);
  for (let count = 1 + random(3); count > 0; count--) {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 + random(255));
  }
  return bytes;
}

describe("Fuzz:", () => {
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
