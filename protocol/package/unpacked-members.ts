/** The members of a package in memory, for programs that have room for a whole app: the hub, and the player in a browser. */
import { requireVariantArchitecture, VARIANT_HEAD_BYTES, type VariantArchitecture } from "../file-kind.js";
import { MANIFEST_LIMIT_BYTES } from "../manifest/manifest.js";
import type { PackageMember, PackageSink } from "./package-reader.js";

/** The bytes of a member, up to a limit; further ones are dropped. */
class Content {
  readonly #buffer: Uint8Array;
  #length = 0;

  constructor(limitBytes: number) {
    this.#buffer = new Uint8Array(limitBytes);
  }

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  write(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, this.#buffer.length - this.#length);
    this.#buffer.set(kept, this.#length);
    this.#length += kept.length;
  }
}

/** Keeps the members of a package in memory. Checks AOT files, and drops them. */
export class UnpackedMembers implements PackageSink {
  #manifest = new Content(0);
  #module = new Content(0);
  #icon: Content | undefined;
  #member: PackageMember | undefined;
  #content = new Content(0);
  /** The architectures of the AOT files. */
  readonly variants: VariantArchitecture[] = [];

  get manifest(): Uint8Array {
    return this.#manifest.bytes;
  }

  /** `app.wasm`, whatever it is. */
  get module(): Uint8Array {
    return this.#module.bytes;
  }

  get icon(): Uint8Array | undefined {
    return this.#icon?.bytes;
  }

  begin(member: PackageMember): void {
    this.#member = member;
    this.#content = this.#contentOf(member);
  }

  write(bytes: Uint8Array): void {
    this.#content.write(bytes);
  }

  /** @throws {Fault} `variant_invalid` */
  end(): void {
    if (this.#member?.kind === "variant")
      requireVariantArchitecture(this.#content.bytes, this.#member.architecture);
  }

  #contentOf(member: PackageMember): Content {
    switch (member.kind) {
      case "manifest":
        this.#manifest = new Content(Math.min(member.byteLength, MANIFEST_LIMIT_BYTES));
        return this.#manifest;
      case "module":
        this.#module = new Content(member.byteLength); // the reader has checked the limit
        return this.#module;
      case "icon":
        this.#icon = new Content(member.byteLength);
        return this.#icon;
      case "variant":
        this.variants.push(member.architecture);
        return new Content(VARIANT_HEAD_BYTES);
      default:
        return member satisfies never;
    }
  }
}
