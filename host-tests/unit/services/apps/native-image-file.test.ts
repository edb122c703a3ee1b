/** An app's native image runs in place of its module only if it is believed (docs/spec/aot.md#believed). */
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  findNativeImage,
  isRefusal,
  loadNativeImage,
  type NativeHost,
} from "../../../../device/services/apps/native-image-file.js";
import { readNativeHead } from "../../../../protocol/native-image.js";
import { writePackage } from "../../../../protocol/package/package-writer.js";
import { manifestOf, moduleOf } from "../../../hosts/app-files.js";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { NodeDigest } from "../../../hosts/node-bytes.js";
import { Publisher } from "../../../hosts/publisher.js";
import { seededRandom } from "../../../hosts/seeded-random.js";
import { inTier } from "../../../tier.js";
import { linesOf } from "./emulated-apps.js";
import { type EmulatedInstaller, emulatedInstaller, trust } from "./emulated-installer.js";
import { imageOf } from "./native-images.js";

const publisher = new Publisher();
const stranger = new Publisher();

let module: Uint8Array;
let other: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
  other = await moduleOf('(module (memory 1) (func (export "main") (nop)))');
});

let console: EmulatedInstaller;
beforeEach(() => {
  const storage = new EmulatedStorage();
  trust(storage, `# roles: app, native\n${publisher.pem}# roles: app\n${stranger.pem}`);
  console = emulatedInstaller({ storage });
});

const withImage = (native?: Uint8Array, of = module, fields = {}) =>
  writePackage({
    module: of,
    manifest: new TextEncoder().encode(JSON.stringify(manifestOf(fields))),
    variants: native ? { native } : {},
  });

function install(file: Uint8Array, by = publisher, origin = {}) {
  return console.install(file, { signature: by.sign(file), origin });
}

/** Starts the app. @returns what runs it, and why that is not the image */
function engine(): { engine: string | undefined; reason: string | undefined } {
  console.apps.start("tetris");
  const line = linesOf(console.log)
    .filter((text) => text.includes("is ignored: "))
    .at(-1);
  return { engine: console.apps.entry("tetris").engine, reason: line?.split("is ignored: ")[1] };
}

describe("the module runs, and the log says why, if the image", () => {
  test("needs a thread with more stack than there is", async () => {
    await install(withImage(imageOf(module)));
    vi.spyOn(EmulatedGuest.prototype, "start").mockImplementationOnce(() => {
      throw new Error("no thread");
    });
    expect(engine()).toEqual({ engine: "wasm3", reason: "no thread is free for it" });
  });

  test("was left behind by an update of its app", async () => {
    await install(withImage());
    await install(imageOf(module), publisher, { name: "tetris" });
    await install(withImage(undefined, other, { version: "1.0.1" }));
    expect(engine()).toEqual({ engine: "wasm3", reason: undefined });
  });

  test("is on a console that runs no machine code", async () => {
    await install(withImage(imageOf(module)));
    const before = EmulatedGuest.machine;
    Object.assign(EmulatedGuest, { machine: undefined });
    expect(engine()).toEqual({ engine: "wasm3", reason: "this firmware cannot run machine code" });
    Object.assign(EmulatedGuest, { machine: before });
  });
});

describe("with a hub that signs what it serves, the module runs", () => {
  const roles = (hubRoles: string, publisherRoles: string) => {
    const storage = new EmulatedStorage();
    trust(
      storage,
      `# roles: ${hubRoles}\n${stranger.pem}${publisherRoles && `# roles: ${publisherRoles}\n${publisher.pem}`}`,
    );
    console = emulatedInstaller({ storage });
  };
  const installFromHub = (file: Uint8Array) =>
    console.install(file, { signature: stranger.sign(file), publisher: stranger.vouchFor(publisher, file) });

  for (const [hub, own] of [
    ["app, hub, native", ""],
    ["hub, native", "app"],
  ] as const)
    test(`though the hub's key has the roles ${hub}, if the publisher's has ${own || "none"}`, async () => {
      roles(hub, own);
      await installFromHub(withImage(imageOf(module)));
      expect(engine()).toEqual({ engine: "wasm3", reason: "no key of role native signed it" });
    });

  test("unless the console trusts the publisher's own key with the role native", async () => {
    roles("hub", "app, native");
    await installFromHub(withImage(imageOf(module)));
    expect(engine()).toEqual({ engine: "aot", reason: undefined });
  });
});

test("an image whose key is revoked since does not run", async () => {
  await install(withImage(imageOf(module)));
  expect(engine().engine).toBe("aot");
  expect(console.store.record("tetris").variants).toMatchObject([{ nativeKey: { signer: publisher.hex } }]);
  const host = {
    files: console.storage.files,
    architecture: "native",
    machine: "x86_64",
    isRevoked: () => true,
  };
  expect(findNativeImage(host, console.store.record("tetris"))).toMatchObject({
    reason: "the key that signed it is revoked",
  });
});

/** Whether the app's image, as it is stored now, would be started. */
function isBelieved(host: NativeHost): boolean {
  const found = findNativeImage(host, console.store.record("tetris"));
  if (found === undefined || isRefusal(found)) return false;
  return loadNativeImage(host.files, NodeDigest, found, { load: () => {} });
}

const MUTANTS = Number(
  process.env["SVC_FUZZ_IMAGES"] ?? inTier({ quick: 5000, sample: 100_000, nightly: 100_000 }),
);

test(`none of ${MUTANTS} mutated containers is believed`, async () => {
  const image = imageOf(module);
  await install(withImage(image));
  const { file: name } = console.store.record("tetris").variants[0] as { file: string };
  const stored = console.storage.files.openFile({ path: `apps/tetris/${name}`, mode: "r+" });
  const random = seededRandom(1);
  const host = {
    files: console.storage.files,
    architecture: "native",
    machine: "x86_64",
    isRevoked: () => false,
  };
  const believed: unknown[] = [];
  for (let mutant = 0; mutant < MUTANTS; mutant++) {
    const bytes = Uint8Array.from(image);
    for (let count = 1 + random(3); count > 0; count--) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 + random(255));
    }
    if (bytes.every((byte, at) => byte === image[at])) continue;
    stored.write(bytes, 0);
    if (isBelieved(host)) believed.push([mutant, [...bytes]]);
  }
  stored.close();
  expect(believed).toEqual([]);
});

test("a container that is cut off or longer than it says is not believed", () => {
  const image = imageOf(module);
  for (let length = 0; length < image.length; length++)
    expect(() => readNativeHead(image.subarray(0, length), length)).toThrowError(
      /Cannot accept the AOT file/,
    );
  expect(() => readNativeHead(image, image.length + 1)).toThrowError(/instead of/);
});
