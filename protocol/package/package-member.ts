/** The members that a package may have (docs/spec/app-packages.md#package). */
import { VARIANT_ARCHITECTURES, type VariantArchitecture } from "../architecture.js";

/** A member of a package, with the bytes of its content. */
export type PackageMember =
  | { readonly kind: "module"; readonly byteLength: number }
  | { readonly kind: "manifest"; readonly byteLength: number }
  | { readonly kind: "icon"; readonly byteLength: number }
  | { readonly kind: "variant"; readonly architecture: VariantArchitecture; readonly byteLength: number };

export const MODULE_NAME = "app.wasm";
export const MANIFEST_NAME = "manifest.json";
export const ICON_NAME = "icon_32.bmp";

/** The machine code that a module was compiled to ahead of time. */
export function variantName(architecture: VariantArchitecture): string {
  return `app.${architecture}.aot`;
}

/** What a member of this name is, or `undefined` where a package has none such. */
export function packageMember(name: string, byteLength: number): PackageMember | undefined {
  switch (name) {
    case MODULE_NAME:
      return { kind: "module", byteLength };
    case MANIFEST_NAME:
      return { kind: "manifest", byteLength };
    case ICON_NAME:
      return { kind: "icon", byteLength };
    default: {
      const architecture = VARIANT_ARCHITECTURES.find((candidate) => variantName(candidate) === name);
      return architecture && { kind: "variant", architecture, byteLength };
    }
  }
}
