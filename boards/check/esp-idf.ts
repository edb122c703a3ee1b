/**
 * The headers of an ESP-IDF that is at hand, and a compiler for them. Nothing is linked, so that any compiler for Xtensa
 * serves: Espressif's, or Debian's `gcc-xtensa-lx106` with the C library's headers of `libnewlib-dev`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface EspIdf {
  readonly folder: string;
  /** As facts have it: 5.3, not 5.3.1. */
  readonly release: string;
}

/** @throws {Error} if the folder holds no ESP-IDF */
export function openEspIdf(folder: string): EspIdf {
  const file = path.join(folder, "tools/cmake/version.cmake");
  for (const needed of [file, path.join(folder, "components")])
    if (!existsSync(needed)) throw new Error(`"${folder}" holds no ESP-IDF: ${needed} is missing`);
  const text = readFileSync(file, "utf8");
  const [major, minor] = ["MAJOR", "MINOR"].map((part) => text.match(`VERSION_${part} (\\d+)`)?.[1]);
  return { folder, release: `${major}.${minor}` };
}

/** Where components keep what others include, in the order in which a compiler has to look. */
const PLACES = (chip: string) => [
  "platform_include",
  "include",
  `${chip}/include`,
  `${chip}/include/${chip}`,
  `include/${chip}`,
  "port/include",
  `port/${chip}/include`,
  "interface",
];

/** What is elsewhere, by component. */
const OTHERS = (chip: string): Readonly<Record<string, readonly string[]>> => ({
  bootloader_support: ["bootloader_flash/include"],
  driver: ["i2c/include", "touch_sensor/include", `touch_sensor/${chip}/include`, "twai/include"],
  esp_hw_support: [
    "include/soc",
    `include/soc/${chip}`,
    "dma/include",
    "ldo/include",
    "etm/include",
    `port/${chip}`,
  ],
  esp_psram: ["device/include"],
  esp_rom: [`include/${chip}`, `${chip}`],
  esp_wifi: ["include/local"],
  fatfs: ["diskio", "src", "vfs"],
  freertos: [
    "config/include",
    "config/include/freertos",
    "config/xtensa/include",
    "FreeRTOS-Kernel/include",
    "FreeRTOS-Kernel/include/freertos",
    "FreeRTOS-Kernel/portable/xtensa/include",
    "FreeRTOS-Kernel/portable/xtensa/include/freertos",
    "esp_additions/include",
    "esp_additions/include/freertos",
  ],
  hal: ["platform_port/include"],
  heap: ["tlsf"],
  lwip: ["include/apps", "lwip/src/include", "port/freertos/include", "port/esp32xx/include"],
  mbedtls: [
    "esp_crt_bundle/include",
    "mbedtls/include",
    "mbedtls/library",
    "mbedtls/tf-psa-crypto/include",
    "mbedtls/tf-psa-crypto/core",
    "mbedtls/tf-psa-crypto/drivers/builtin/include",
    "mbedtls/tf-psa-crypto/drivers/builtin/src",
    "mbedtls/tf-psa-crypto/drivers/everest/include",
    "mbedtls/tf-psa-crypto/drivers/p256-m",
    "port/psa_driver/include",
  ],
  soc: [`${chip}`, `${chip}/register`],
  tinyusb: ["src"],
});

/** Another system's, and kernels of which one is built. */
const LEFT_OUT: ReadonlySet<string> = new Set(["linux", "riscv"]);

/** @param registry folder of components of Espressif's registry, if any */
export function includeFolders({ folder }: EspIdf, chip: string, registry?: string): string[] {
  const roots = [path.join(folder, "components"), ...(registry ? [registry] : [])];
  return roots.flatMap((root) =>
    readdirSync(root)
      .filter((name) => !LEFT_OUT.has(name))
      .sort()
      .flatMap((name) => {
        const own = name.replace(/^espressif__/, "");
        return [...PLACES(chip), ...(OTHERS(chip)[own] ?? [])].map((place) => path.join(root, name, place));
      })
      .filter(existsSync),
  );
}
