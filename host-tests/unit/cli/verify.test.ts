/**
 * `svc verify` takes what a console takes that trusts the keys, and refuses the rest with the console's code
 * (docs/spec/cli.md#verify).
 */
import { createPublicKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { BUNDLE_HEADER_BYTES } from "../../../protocol/firmware/bundle-header.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { verify } from "../../../sdk/verify/verify.js";
import { writeImage } from "../../../tools/image.js";
import { manifestOf, moduleOf, packageOf } from "../../hosts/app-files.js";
import { bundleOf } from "../../hosts/firmware-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { damaged, REFUSED_PACKAGES } from "../../hosts/refused-packages.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { aotFile } from "../services/apps/aot-file.js";
import { imageOf, imagePackage } from "../services/apps/native-images.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const placeOf = (name: string) => path.join(temporary.path, name);

const [publisher, other, stranger] = [new Publisher(), new Publisher(), new Publisher()];
const pem = Buffer.from(`${other.pem}${publisher.pem}`);
const keys = placeOf("keys.pem");
writeFileSync(keys, pem);

const plain = await moduleOf('(module (memory 1) (func (export "main")))');
const importing = await moduleOf(
  '(module (import "svc" "buttons" (func)) (memory 1) (func (export "main")))',
);
const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const image = writeImage({ program: "export default function main() {}\n", version: "1.2.3" });
const bundle = bundleOf(image, publisher);

const signed = (file: Uint8Array, by = publisher) => verify(file, { pem, signature: by.sign(file) });

describe("svc verify accepts what a console accepts:", () => {
  const variants = { xtensa: aotFile("xtensa") };
  const manifest = manifestOf({ capabilities: ["display.write"] });
  const TAKEN = [
    { name: "a package", file: packageOf(plain, manifest), is: { kind: "package", variants: [] } },
    {
      name: "a package with machine code",
      file: writePackage({ manifest: text(manifest), module: plain, variants }),
      is: { kind: "package", variants: ["xtensa"] },
    },
    {
      name: "a module with its manifest",
      file: appendCustomSection(plain, "svc_manifest", text(manifest)),
      is: { kind: "module", manifest: { name: "tetris" } },
    },
    { name: "a module without a manifest", file: plain, is: { kind: "module", manifest: undefined } },
    {
      name: "a package of machine code alone",
      file: imagePackage(imageOf(plain)),
      is: { kind: "package", variants: ["native"], isImageAlone: true, concerns: [] },
    },
    { name: "an AOT file", file: aotFile("thumbv7em"), is: { kind: "variant", variants: ["arm"] } },
  ];
  for (const { name, file, is } of TAKEN)
    test(name, async () => {
      const verified = await signed(file);
      expect(verified).toMatchObject(is);
      const { x = "" } = publisherJwk();
      expect(Buffer.from(verified.signer.publicKey).toString("base64url")).toBe(x);
    });

  test("firmware, which contains its signature", async () => {
    const verified = await verify(bundle, { pem, signature: undefined });
    expect(verified).toMatchObject({
      kind: "firmware",
      image: { version: "1.2.3" },
      imageBytes: image.length,
    });
  });

  test("what a key with the role has signed, and nothing from a key without it", async () => {
    const limited = (role: string) => Buffer.from(`# roles: ${role}\n${publisher.pem}`);
    const file = packageOf(plain);
    const app = (role: string) => verify(file, { pem: limited(role), signature: publisher.sign(file) });
    const firmware = (role: string) => verify(bundle, { pem: limited(role), signature: undefined });
    expect((await app("app")).signer.roles).toEqual(["app"]);
    expect((await firmware("firmware")).signer.roles).toEqual(["firmware"]);
    await expect(app("firmware, hub, native")).rejects.toMatchObject({
      code: "signature_invalid",
      message: expect.stringContaining("does not have the role app, only firmware, hub, native"),
    });
    await expect(firmware("app, hub, native")).rejects.toMatchObject({ code: "signature_invalid" });
  });

  test("machine code by a key without the role native, with a note", async () => {
    const file = aotFile();
    const verified = await verify(file, {
      pem: Buffer.from(`# roles: app\n${publisher.pem}`),
      signature: publisher.sign(file),
    });
    expect(verified).toMatchObject({ concerns: [expect.stringContaining("role native")] });
    expect(await signed(file)).toMatchObject({ concerns: [] });
  });
});

describe("svc verify rejects what a console rejects, with its code:", () => {
  for (const { name, file, code } of REFUSED_PACKAGES)
    test(name, async () => {
      await expect(signed(await file())).rejects.toMatchObject({ code });
    });

  test("machine code alone by a key without the role native", async () => {
    const file = imagePackage(imageOf(plain));
    const limited = Buffer.from(`# roles: app, firmware\n${publisher.pem}`);
    await expect(verify(file, { pem: limited, signature: publisher.sign(file) })).rejects.toMatchObject({
      code: "signature_invalid",
      message: expect.stringContaining("does not have the role native, only app, firmware"),
    });
  });

  const file = packageOf(plain);
  const signature = publisher.sign(file);
  const OTHERS = [
    { name: "a stranger's signature", file, signature: stranger.sign(file), code: "signature_invalid" },
    { name: "no signature", file, signature: undefined, code: "signature_missing" },
    { name: "an invalid signature file", file, signature: "abc", code: "signature_invalid" },
    { name: "a changed file", file: damaged(file, 20), signature, code: "signature_invalid" },
    { name: "a file over the size limit", file: grown(2 ** 20 + 1), signature, code: "file_too_large" },
    {
      name: "a module that imports what its manifest does not declare",
      file: importing,
      code: "capability_missing",
    },
    { name: "an AOT file for an unknown architecture", file: aotFile("riscv"), code: "variant_invalid" },
    { name: "changed firmware", file: damaged(bundle, 100), code: "signature_invalid" },
    { name: "firmware signed by a stranger", file: bundleOf(image, stranger), code: "signature_invalid" },
    { name: "truncated firmware", file: bundle.subarray(0, -1), code: "bundle_length" },
    { name: "firmware cut within its header", file: bundle.subarray(0, 60), code: "bundle_length" },
    {
      name: "firmware with bytes after it",
      file: grown(bundle.length + 1, bundle),
      code: "bundle_length",
    },
    { name: "firmware of a later format", file: damaged(bundle, 4, 3), code: "bundle_version" },
    {
      name: "a bundle whose image is none",
      file: bundleOf(Buffer.alloc(BUNDLE_HEADER_BYTES), publisher),
      code: "image_invalid",
    },
    { name: "nothing", file: new Uint8Array(0), code: "media_type_unsupported" },
  ];
  for (const { name, file: refused, code, ...rest } of OTHERS)
    test(name, async () => {
      const given = "signature" in rest ? rest.signature : publisher.sign(refused);
      await expect(verify(refused, { pem, signature: given })).rejects.toMatchObject({ code });
    });

  test("a file against keys of which none is usable", async () => {
    const none = Buffer.from(publisher.privatePem);
    await expect(verify(file, { pem: none, signature })).rejects.toMatchObject({ code: "keys_invalid" });
  });
});

describe("svc verify", { timeout: SVC_TIMEOUT_MS }, () => {
  const file = placeOf("tetris.svcpkg");
  const bytes = packageOf(plain, { capabilities: ["display.write", "gpio.read"], description: "Blocks" });
  writeFileSync(file, bytes);
  writeFileSync(`${file}.sig`, `${publisher.sign(bytes)}\n`);

  test("prints kind, signer and capabilities", () => {
    const { status, stdout, stderr } = runSvc("verify", file, "--keys", keys);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`${file}: package of tetris 1.0.0, ${bytes.length} bytes\n`);
    expect(stdout).toMatch(new RegExp(`^signed by +${publisherLabel()} \\(of ${keys}\\)$`, "m"));
    expect(stdout).toMatch(new RegExp(`^publisher +${publisher.hex.slice(0, 16)}$`, "m"));
    expect(stdout).toMatch(/^may +display\.write: Draw on the display\.\n +gpio\.read: /m);
  });

  test("prints the same as JSON with --json", () => {
    const { stdout } = runSvc("verify", file, "--keys", keys, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      file,
      kind: "package",
      bytes: bytes.length,
      variants: [],
      concerns: [],
      signed_by: { label: publisherLabel(), roles: ["app", "firmware", "hub", "native"] },
      publisher: publisher.hex,
      manifest: { name: "tetris", capabilities: ["display.write", "gpio.read"] },
    });
  });

  test("prints that machine code is alone", () => {
    const alone = placeOf("alone.svcpkg");
    const packed = imagePackage(imageOf(plain));
    writeFileSync(alone, packed);
    writeFileSync(`${alone}.sig`, publisher.sign(packed));
    expect(runSvc("verify", alone, "--keys", keys).stdout).toMatch(/^machine code +native alone: /m);
    expect(JSON.parse(runSvc("verify", alone, "--keys", keys, "--json").stdout)).toMatchObject({
      variants: ["native"],
      image_only: true,
      manifest: { target_arch: "native" },
    });
  });

  test("takes the given signature rather than the one beside the file", () => {
    const args = ["verify", file, "--keys", keys, "--signature"];
    expect(runSvc(...args, publisher.sign(bytes)).status).toBe(0);
    const { status, stdout, stderr } = runSvc(...args, stranger.sign(bytes));
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^svc: signature_invalid: /);
  });

  test("does not take a file that cannot be a signature for one", () => {
    const { status, stdout, stderr } = runSvc("verify", file, "--keys", keys, "--signature", "zz");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^svc: wrong_usage: .*128 hexadecimal digits/);
  });

  test("explains how to sign firmware, for firmware of an untrusted signer", () => {
    writeFileSync(placeOf("stranger.svcfw"), bundleOf(image, stranger));
    const { status, stderr } = runSvc("verify", placeOf("stranger.svcfw"), "--keys", keys);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^svc: signature_invalid: /);
    expect(stderr).toContain("svc firmware pack IMAGE --key PEM");
    expect(stderr).not.toContain("svc install");
  });

  test("reports unusable keys, and continues with the others", () => {
    const some = placeOf("some.pem");
    writeFileSync(some, `${publisher.privatePem}${publisher.pem}`);
    const { status, stderr } = runSvc("verify", file, "--keys", some);
    expect(status).toBe(0);
    expect(stderr).toMatch(/^svc: .*some\.pem, line 1: PRIVATE KEY cannot be used/);
  });

  test("prints the header of firmware", () => {
    writeFileSync(placeOf("new.svcfw"), bundle);
    const { status, stdout } = runSvc("verify", placeOf("new.svcfw"), "--keys", keys);
    expect(status).toBe(0);
    expect(stdout).toContain("firmware 1.2.3 for simulator (native)");
  });

  test("names the file that does not exist", () => {
    const { status, stderr } = runSvc("verify", placeOf("missing"), "--keys", keys);
    expect([status, stderr]).toEqual([1, expect.stringContaining('missing": no such file')]);
  });
});

function grown(byteLength: number, file = packageOf(plain)): Uint8Array {
  const longer = new Uint8Array(byteLength);
  longer.set(file);
  return longer;
}

function publisherJwk() {
  return createPublicKey(publisher.pem).export({ format: "jwk" });
}

function publisherLabel(): string {
  return Buffer.from(publisherJwk().x ?? "", "base64url")
    .toString("hex")
    .slice(0, 16);
}
