/**
 * The manifest that ESP Web Tools (https://esphome.github.io/esp-web-tools/), and tools that read the same format, need
 * to program a board from a browser. Paths are relative to the manifest, offsets in bytes.
 */
import { CHIPS, type Chip } from "./esp-image.js";

export interface FlashManifest {
  readonly name: string;
  readonly version: string;
  /** Ask whether to erase the flash first: the console creates its file system only where flash is erased. */
  readonly new_install_prompt_erase: boolean;
  readonly builds: readonly {
    readonly chipFamily: string;
    readonly parts: readonly { readonly path: string; readonly offset: number }[];
  }[];
}

/** @param image file name of an image of the whole flash, in the directory of the manifest */
export function flashManifest(chip: Chip, version: string, image: string): FlashManifest {
  return {
    name: "SVC console",
    version,
    new_install_prompt_erase: true,
    builds: [{ chipFamily: CHIPS[chip].family, parts: [{ path: image, offset: 0 }] }],
  };
}
