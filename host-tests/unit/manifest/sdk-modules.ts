/** The modules of the Moddable SDK that the console uses, and the SDK's manifest that brings each of them. */

export const SDK_MODULES: Readonly<Record<string, string>> = Object.freeze({
  timer: "examples/manifest_base.json",
  time: "examples/manifest_base.json",
  crypt: "modules/crypt/digest/manifest.json",
  "embedded:storage/key-value": "modules/io/storage/esp32/manifest.json",
  "mc/config": "examples/manifest_base.json",
});
