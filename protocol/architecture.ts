/**
 * What an app's machine code is made for (`target_arch`, docs/spec/app-packages.md#manifest-fields); `native` is the
 * simulator's own.
 */

/** Of an AOT file. */
export const VARIANT_ARCHITECTURES = Object.freeze(["xtensa", "arm", "rv32", "native"] as const);
export type VariantArchitecture = (typeof VARIANT_ARCHITECTURES)[number];

/** Of a manifest. */
export type TargetArchitecture = VariantArchitecture | "generic";

export function isVariantArchitecture(name: string): name is VariantArchitecture {
  return (VARIANT_ARCHITECTURES as readonly string[]).includes(name);
}

export function isTargetArchitecture(name: string): name is TargetArchitecture {
  return name === "generic" || isVariantArchitecture(name);
}
