/** An app is its name and its publisher, whichever way its package comes (docs/spec/apps.md#identity). */
import { createHash, sign } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AppData } from "../../../../device/services/apps/app-data.js";
import { RevocationsFile } from "../../../../device/services/trust/revocations-file.js";
import { appendCustomSection } from "../../../../protocol/custom-section.js";
import { writeRevocationList } from "../../../../protocol/keys/revocation-list.js";
import { writePackage } from "../../../../protocol/package/package-writer.js";
import { SUCCESSIONS_LIMIT } from "../../../../protocol/signature/statements.js";
import { manifestOf, moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeMemory } from "../../../hosts/node-bytes.js";
import { Publisher } from "../../../hosts/publisher.js";
import {
  type CertificateFields,
  type KeyPair,
  newKeys,
  pem,
  writeCertificate,
} from "../../protocol/keys/certificate-writer.js";
import { aotFile } from "./aot-file.js";
import { linesOf } from "./emulated-apps.js";
import {
  type EmulatedInstaller,
  emulatedInstaller,
  type InstallOptions,
  traceOf,
  trust,
} from "./emulated-installer.js";
import { imageOf } from "./native-images.js";

const [first, second, hub, stranger] = [new Publisher(), new Publisher(), new Publisher(), new Publisher()];
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

let module: Uint8Array;
const version = (text: string, fields = {}) => packageOf(module, { version: text, ...fields });

let storage: EmulatedStorage;
let console: EmulatedInstaller;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
});
beforeEach(() => {
  storage = new EmulatedStorage();
  console = trusting(first.pem + second.pem + hub.pem);
});

function trusting(keys: string, options = {}): EmulatedInstaller {
  trust(storage, keys);
  return emulatedInstaller({ storage, ...options });
}

function install(by: Publisher, file: Uint8Array, options: InstallOptions = {}) {
  return console.install(file, { signature: by.sign(file), ...options });
}

/** As a hub that signs does: its own signature, and its statement about the publisher. */
function installFromHub(by: Publisher, file: Uint8Array, options: InstallOptions = {}) {
  return console.install(file, { signature: hub.sign(file), publisher: hub.vouchFor(by, file), ...options });
}

/** What the app keeps, and an uninstall takes along. */
const score = () => new AppData(storage.files, "tetris").size("score");
const keepScore = () =>
  new AppData(storage.files, "tetris").write("score", { byteLength: 3, read: (into) => into.fill(7).length });

const published = () => {
  const { publisher, signer } = console.store.record("tetris");
  return [publisher, signer];
};

async function expectRefused(code: string, installing: () => Promise<unknown>) {
  const before = traceOf(console);
  await expect(installing()).rejects.toMatchObject({ code });
  expect(traceOf(console)).toEqual(before);
  expect(score()).toBe(3);
}

test("A key of role hub alone passes on what a trusted publisher has signed, and introduces none", async () => {
  console = trusting(`# roles: hub\n${hub.pem}# roles: app\n${first.pem}`);
  await expect(installFromHub(stranger, version("1.0.0"))).rejects.toMatchObject({
    code: "signature_invalid",
  });
  await expect(install(hub, version("1.0.0"))).rejects.toMatchObject({ code: "signature_invalid" });
  await installFromHub(first, version("1.0.0"));
  expect(published()).toEqual([first.hex, first.hex]);
});

test("A key of the roles hub and app introduces publishers", async () => {
  console = trusting(`# roles: hub, app\n${hub.pem}`);
  await installFromHub(stranger, version("1.0.0"));
  expect(published()).toEqual([stranger.hex, stranger.hex]);
});

describe("An app of one publisher", () => {
  beforeEach(async () => {
    await install(first, version("1.0.0"));
    keepScore();
  });

  test("is not replaced by another publisher's by any other way either", async () => {
    const named = { origin: { name: "tetris", requiresName: true } };
    await expectRefused("publisher_mismatch", () => install(second, module, named));
    const within = appendCustomSection(module, "svc_manifest", json(manifestOf({ version: "9.0.0" })));
    await expectRefused("publisher_mismatch", () => install(second, within));
    const manifest = { json: json(manifestOf({ version: "9.0.0" })), provenance: undefined };
    await expectRefused("publisher_mismatch", () => install(second, module, { origin: { manifest } }));
    const ordered = { name: "tetris", version: "9.0.0" };
    const terms = { ordered, allowsDowngrade: true };
    await expectRefused("publisher_mismatch", () => install(second, version("9.0.0"), { origin: terms }));
  });

  test("reserves its name in any case against other publishers", async () => {
    await expectRefused("publisher_mismatch", () => install(second, version("1.0.0", { name: "Tetris" })));
    expect(await install(first, version("1.0.0", { name: "Tetris" }))).toMatchObject({ name: "Tetris" });
    expect(console.store.names).toEqual(["Tetris"]);
    expect(score()).toBe(3);
    await expectRefused("version_older", () => install(first, version("0.9.0", { name: "TETRIS" })));
  });

  test("is not replaced by a file without a signature, where those are allowed", async () => {
    console = trusting(first.pem, { allowsUnsigned: true });
    await expectRefused("publisher_mismatch", () => console.install(version("2.0.0"), { signature: null }));
  });

  test("with an unreadable record gives its data to no other publisher", async () => {
    const file = storage.files.openFile({ path: "apps/tetris/app.json", mode: "r+" });
    file.write(new TextEncoder().encode("?"), 0);
    file.flush();
    file.close();
    console = emulatedInstaller({ storage });
    await install(second, version("1.0.0"));
    expect(score()).toBeLessThan(0);
  });
});

describe("A manifest beside a module", () => {
  const origin = (by: Publisher) => {
    const provenance = { publisher: by.hex, signer: by.hex, formerly: [], isNative: false };
    return { manifest: { json: json(manifestOf({ version: "2.0.0" })), provenance } };
  };

  test("signed by another publisher does not name the module", async () => {
    await install(first, version("1.0.0"));
    keepScore();
    for (const [by, manifestBy] of [
      [second, first],
      [first, second],
    ] as const)
      await expectRefused("publisher_mismatch", () => install(by, module, { origin: origin(manifestBy) }));
    expect(await install(first, module, { origin: origin(first) })).toMatchObject({ version: "2.0.0" });
  });
});

describe("An app without a signature", () => {
  const unsigned = { signature: null };
  beforeEach(async () => {
    console = trusting(first.pem, { allowsUnsigned: true });
    await console.install(version("1.0.0"), unsigned);
    keepScore();
  });

  test("has no publisher", () => {
    expect(published()).toEqual([undefined, undefined]);
    expect(console.apps.entry("tetris")).not.toHaveProperty("publisher");
  });

  test("is replaced by another file without a signature, and keeps its data", async () => {
    await console.install(version("1.1.0"), unsigned);
    expect(published()).toEqual([undefined, undefined]);
    expect(score()).toBe(3);
    await expectRefused("version_older", () => console.install(version("0.9.0"), unsigned));
  });

  test("is not replaced by a publisher's package, and accepts no AOT file of one", async () => {
    await expectRefused("publisher_mismatch", () => install(first, version("2.0.0")));
    await expectRefused("publisher_mismatch", () =>
      install(first, aotFile(), { origin: { name: "tetris" } }),
    );
    expect(published()).toEqual([undefined, undefined]);
  });
});

describe("A publisher with a certificate chain", () => {
  const root = newKeys();
  const [leaf, renewed, foreign] = [newKeys(), newKeys(), newKeys()];
  const certificate = (fields: CertificateFields) => pem("CERTIFICATE", writeCertificate(fields));
  const rootCertificate = certificate({
    subject: "root",
    keys: root,
    isAuthority: true,
    keyUsage: ["keyCertSign"],
  });
  const leafOf = (keys: KeyPair) => certificate({ subject: "leaf", issuer: "root", signer: root, keys });
  const signed = (keys: KeyPair, file: Uint8Array) =>
    sign(null, createHash("sha256").update(file).digest(), keys.privateKey).toString("hex");
  const hexOf = (keys: KeyPair) => Buffer.from(keys.publicKey).toString("hex");

  beforeEach(async () => {
    console = trusting(rootCertificate + leafOf(leaf) + pem("PUBLIC KEY", foreign.spki));
    const file = version("1.0.0");
    await console.install(file, { signature: signed(leaf, file) });
    keepScore();
  });

  test("is the root of the chain", () => expect(published()).toEqual([hexOf(root), hexOf(leaf)]));

  test("stays the same with a renewed certificate under the same root", async () => {
    console = trusting(rootCertificate + leafOf(renewed));
    const file = version("2.0.0");
    await console.install(file, { signature: signed(renewed, file) });
    expect(published()).toEqual([hexOf(root), hexOf(renewed)]);
    expect(score()).toBe(3);
  });

  test("stays the same if the key is trusted without its chain", async () => {
    console = trusting(pem("PUBLIC KEY", leaf.spki));
    const file = version("2.0.0");
    await console.install(file, { signature: signed(leaf, file) });
    expect(score()).toBe(3);
  });

  test("differs from another trusted key", async () => {
    const file = version("2.0.0");
    await expectRefused("publisher_mismatch", () =>
      console.install(file, { signature: signed(foreign, file) }),
    );
  });

  test("is the root also through a hub that vouches for the leaf", async () => {
    console = trusting(rootCertificate + leafOf(leaf) + leafOf(renewed) + hub.pem);
    const file = version("2.0.0");
    const key = hexOf(renewed);
    const { voucher } = hub.vouchFor(
      { publicKey: renewed.publicKey, hex: key, sign: () => "" } as unknown as Publisher,
      file,
    );
    const publisher = { key, signature: signed(renewed, file), voucher: voucher as string };
    await console.install(file, { signature: hub.sign(file), publisher });
    expect(published()).toEqual([hexOf(root), key]);
  });
});

describe("A publisher that has changed its key", () => {
  const chain = Array.from({ length: SUCCESSIONS_LIMIT + 1 }, () => new Publisher());
  const [old] = chain as [Publisher];
  const link = (from: Publisher, to: Publisher) => from.succeedBy(to);
  const withChain = (...links: string[]): InstallOptions => ({ publisher: { succession: links.join(",") } });

  beforeEach(async () => {
    console = trusting([...chain, second, hub].map((each) => each.pem).join(""));
    await install(old, version("1.0.0"));
    keepScore();
  });

  test("keeps them over as many changes as a chain may have", async () => {
    const links = chain.slice(1).map((each, at) => link(chain[at] as Publisher, each));
    const last = chain.at(-1) as Publisher;
    await install(last, version("2.0.0"), withChain(...links));
    expect(published()).toEqual([last.hex, last.hex]);
  });
});

describe("An AOT file for this console", () => {
  describe("and the role native", () => {
    const variants = () => console.store.record("tetris").variants;
    const withAot = () =>
      writePackage({
        module,
        manifest: json(manifestOf()),
        variants: { native: aotFile("x86_64") },
      });

    test("is native within a package, if the key has the role", async () => {
      console = trusting(`# roles: app, native\n${first.pem}# roles: app\n${second.pem}`);
      await install(first, withAot());
      expect(variants()).toEqual([
        expect.objectContaining({
          architecture: "native",
          nativeKey: { publisher: first.hex, signer: first.hex },
        }),
      ]);
      console = trusting(`# roles: app\n${first.pem}`);
      await install(first, withAot());
      expect(variants()[0]).not.toHaveProperty("nativeKey");
    });

    test("is native by itself, if the key has the role", async () => {
      console = trusting(`# roles: app, native\n${first.pem}`);
      await install(first, withAot());
      await install(first, aotFile("x86_64"), { origin: { name: "tetris" } });
      expect(variants()).toEqual([
        expect.objectContaining({
          architecture: "native",
          nativeKey: { publisher: first.hex, signer: first.hex },
        }),
      ]);
      console = trusting(`# roles: app\n${first.pem}`);
      await install(first, aotFile("x86_64"), { origin: { name: "tetris" } });
      expect(variants()[0]).not.toHaveProperty("nativeKey");
    });
  });

  test("for another architecture is not mentioned", async () => {
    await install(first, version("1.0.0"));
    await install(first, aotFile("xtensa"), { origin: { name: "tetris" } });
    console.apps.start("tetris");
    expect(linesOf(console.log).at(-1)).toContain("started");
  });
});

describe("A revoked key", () => {
  const revoke = (publisher: Publisher) => {
    const sign = (message: Uint8Array) => hub.signBytes(message);
    const list = { number: 1, keys: [publisher.publicKey], signer: hub.publicKey, sign };
    new RevocationsFile(storage.files, nodeMemory).write(writeRevocationList(list));
  };

  test("is rejected from a hub that vouches for it", async () => {
    expect(await installFromHub(stranger, version("1.0.0"))).toMatchObject({ version: "1.0.0" });
    keepScore();
    revoke(stranger);
    await expectRefused("signature_invalid", () => installFromHub(stranger, version("2.0.0")));
  });

  test("cannot name a successor", async () => {
    await install(first, version("1.0.0"));
    keepScore();
    revoke(first);
    const publisher = { succession: first.succeedBy(second) };
    await expectRefused("publisher_mismatch", () => install(second, version("2.0.0"), { publisher }));
  });

  test("ends the run of an image that it signed, and the module runs from then on", async () => {
    console = trusting(`# roles: app\n${first.pem}# roles: app, native\n${second.pem}`);
    await install(first, version("1.0.0"));
    const publisher = { succession: first.succeedBy(second) };
    await install(second, imageOf(module), { origin: { name: "tetris" }, publisher });
    console.apps.start("tetris");
    expect(console.apps.entry("tetris")).toMatchObject({ engine: "aot" });
    revoke(second);
    await console.runner.stopRevoked();
    expect(console.apps.entry("tetris")).toMatchObject({ state: "stopped" });
    console.apps.start("tetris");
    expect(console.apps.entry("tetris")).toMatchObject({ engine: "wasm3" });
  });
});
