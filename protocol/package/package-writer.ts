/**
 * Writes app packages, for programs on Node and in browsers: the same members give the same bytes for every packer, at
 * any time, on any machine. Not for consoles: fflate needs more memory than they have (ADR 5).
 */
import { gzipSync } from "fflate";
import { VARIANT_ARCHITECTURES, type VariantArchitecture } from "../architecture.js";
import { ICON_NAME, MANIFEST_NAME, MODULE_NAME, variantName } from "./package-member.js";
import { type TarFile, writeTar } from "./tar-writer.js";

export interface PackageContents {
  /** The text of the manifest, as written to the package. */
  readonly manifest: Uint8Array;
  readonly module: Uint8Array;
  readonly icon?: Uint8Array;
  /** AOT variants, by what they are compiled for. */
  readonly variants?: Readonly<Partial<Record<VariantArchitecture, Uint8Array>>>;
}

/** Packages are written once and sent often. */
const LEVEL = 9;

/** The bytes of a `.svcpkg`. What is put into it is not checked; a reader does that. */
export function writePackage({ manifest, module, icon, variants = {} }: PackageContents): Uint8Array {
  const files: TarFile[] = [
    { name: MANIFEST_NAME, content: manifest }, // first, so that a reader of the manifest alone finds it early
    { name: MODULE_NAME, content: module },
  ];
  if (icon) files.push({ name: ICON_NAME, content: icon });
  for (const architecture of VARIANT_ARCHITECTURES) {
    const content = variants[architecture];
    if (content) files.push({ name: variantName(architecture), content });
  }
  return gzipSync(writeTar(files), { level: LEVEL, mtime: 0 });
}
