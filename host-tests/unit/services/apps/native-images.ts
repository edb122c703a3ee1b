/** Native images without a compiler: containers whose code is never run. */
import { createHash } from "node:crypto";
import { encodeNativeImage, type NativeImage } from "../../../../sdk/builder/native/image-writer.js";
import { prepared } from "../../../device/guest/prepared.js";
import { packageOf, type TestManifest } from "../../../hosts/app-files.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes);

/** Ends what comes before it with its digest, as a container ends. */
export function sealed(body: Uint8Array): Uint8Array {
  return Buffer.concat([body, sha256(body).digest()]);
}

/** The container with other bytes before its digest, which holds. */
export function resealed(image: Uint8Array, change: (view: DataView) => void = () => {}): Uint8Array {
  const body = Uint8Array.from(image.subarray(0, -32));
  change(new DataView(body.buffer));
  return sealed(body);
}

/** A package whose `app.wasm` is the image (docs/spec/aot.md#alone), for an x86-64 console unless `fields` say otherwise. */
export function imagePackage(
  image: Uint8Array,
  fields: Partial<TestManifest> = {},
  ...more: [icon?: Uint8Array, variants?: Parameters<typeof packageOf>[3]]
): Uint8Array {
  return packageOf(image, { target_arch: "native", ...fields }, ...more);
}

/** An image of the module for an x86-64 console. */
export function imageOf(module: Uint8Array, fields: Partial<NativeImage> = {}): Uint8Array {
  return sealed(
    encodeNativeImage({
      machine: "x86_64",
      moduleSha256: sha256(module).digest("hex"),
      preparedSha256: sha256(prepared(module, { memoryQuotaBytes: 65_536, entry: "main" })).digest("hex"),
      entry: "main",
      text: new Uint8Array(64).fill(0xc3),
      data: new Uint8Array(32),
      zeroByteLength: 16,
      relocations: [64, 72].map((at) => ({ at, isOfVariable: false })),
      functions: [
        { offset: 0, name: "" },
        { offset: 16, name: "main" },
      ],
      entryOffset: 0,
      limitOffset: 88,
      frameBytes: 48,
      ...fields,
    }),
  );
}
