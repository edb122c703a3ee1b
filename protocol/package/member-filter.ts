/**
 * Lets through the members that a package has, and refuses the archive for any other: packages are one flat
 * folder of plain files. What one program skips and the next one writes is how archives harm.
 */
import { Fault } from "../fault.js";
import { MANIFEST_LIMIT_BYTES } from "../manifest/limits.js";
import { ICON_LIMIT_BYTES } from "./limits.js";
import { MANIFEST_NAME, MODULE_NAME, type PackageMember, packageMember } from "./package-member.js";
import type { TarMember, TarSink } from "./tar-reader.js";

/** Receives the members in the order of the package. The reader's `push` rethrows what it throws. */
export interface PackageSink {
  begin(member: PackageMember): void;
  /** The next bytes of the member begun last: a view that holds during the call only. */
  write(bytes: Uint8Array): void;
  end(): void;
}

const PLAIN_FILE = "0";
const REQUIRED = Object.freeze([MODULE_NAME, MANIFEST_NAME]);

export class MemberFilter implements TarSink {
  readonly #sink: PackageSink;
  readonly #limitBytes: number;
  readonly #names = new Set<string>();

  /** @param limitBytes most that a member may have; manifest and icon have limits of their own */
  constructor(sink: PackageSink, limitBytes: number) {
    this.#sink = sink;
    this.#limitBytes = limitBytes;
  }

  begin({ name, type, byteLength }: TarMember): void {
    if (type !== PLAIN_FILE) throw refused(name, `is ${typeName(type)}, no plain file`);
    const member = packageMember(name, byteLength);
    if (!member) throw refused(name, reasonAgainst(name));
    if (this.#names.has(name)) throw refused(name, "is there twice");
    this.#names.add(name);
    this.#checkLength(name, member);
    this.#sink.begin(member);
  }

  write(bytes: Uint8Array): void {
    this.#sink.write(bytes);
  }

  end(): void {
    this.#sink.end();
  }

  /** @throws {Fault} `package_invalid` when a member is missing that every package has */
  checkComplete(): void {
    const missing = REQUIRED.find((name) => !this.#names.has(name));
    if (missing !== undefined) throw refused(missing, "is missing");
  }

  #checkLength(name: string, { kind, byteLength }: PackageMember): void {
    const limit =
      kind === "manifest"
        ? MANIFEST_LIMIT_BYTES
        : kind === "icon"
          ? ICON_LIMIT_BYTES
          : Number.POSITIVE_INFINITY;
    if (byteLength > limit) throw refused(name, `has ${byteLength} bytes, and ${limit} are taken`);
    if (byteLength > this.#limitBytes)
      throw new Fault(
        "package_too_large",
        `Cannot take the package: "${name}" has ${byteLength} bytes, and an app has up to ${this.#limitBytes}`,
        { details: { member: name } },
      );
  }
}

function reasonAgainst(name: string): string {
  if (name === "") return "is no name";
  return name.includes("/") ? "is a path, and packages have no folders" : "is no member of a package";
}

/** For a person (POSIX.1-2017 pax, "ustar Interchange Format", and GNU tar). */
function typeName(type: string): string {
  switch (type) {
    case "1":
      return "a link";
    case "2":
      return "a symbolic link";
    case "3":
    case "4":
      return "a device";
    case "5":
      return "a directory";
    case "6":
      return "a FIFO";
    case "S":
      return "a sparse file";
    default:
      return "of an unusual type";
  }
}

/** @param member as it may stand in a message, which members of tar archives are given as */
function refused(member: string, reason: string): Fault {
  return new Fault("package_invalid", `Cannot take the package: "${member}" ${reason}`, {
    details: { member },
  });
}
