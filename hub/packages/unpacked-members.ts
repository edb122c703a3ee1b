/** The members of a package, in memory; AOT files are checked and dropped. */
import type { VariantArchitecture } from "../../protocol/architecture.js";
import { MANIFEST_LIMIT_BYTES } from "../../protocol/manifest/limits.js";
import type { PackageMember, PackageSink } from "../../protocol/package/package-reader.js";
import { requireVariantArchitecture, VARIANT_HEAD_BYTES } from "../../protocol/variant-architecture.js";

/** Bytes of a member, of which no more are kept than there is room for. */
class Content {
  readonly #room: Uint8Array;
  #length = 0;

  constructor(roomBytes: number) {
    this.#room = new Uint8Array(roomBytes);
  }

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length);
  }

  write(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, this.#room.length - this.#length);
    this.#room.set(kept, this.#length);
    this.#length += kept.length;
  }
}

export class UnpackedMembers implements PackageSink {
  #manifest = new Content(0);
  #module = new Content(0);
  #icon: Content | undefined;
  #member: PackageMember | undefined;
  #content = new Content(0);
  /** What there were AOT files for. */
  readonly variants: VariantArchitecture[] = [];

  get manifest(): Uint8Array {
    return this.#manifest.bytes;
  }

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
        this.#module = new Content(member.byteLength); // the reader has compared it with the limit
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
