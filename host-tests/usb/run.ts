/**
 * `npm run test:usb`: the port of boards (board-usb.c) on its real device stack, with a host and a controller that the test
 * plays packet by packet (host.h). `TINYUSB_PATH` and `ESP_TINYUSB_PATH` are folders of the two components that a build for
 * an ESP32-S3 has fetched (`managed_components/espressif__tinyusb` and `…/espressif__esp_tinyusb`).
 *
 * Exit status 0 if all holds, and without the two, unless `SVC_TEST_REQUIRE` names `tinyusb`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");
const here = (name: string) => path.join(import.meta.dirname, name);
const OPTIONS = path.join(root, "device/hosts/esp32/boards/esp32s3/sdkconfig.defaults");

/** Headers of ESP-IDF that the two components include. */
const HEADERS = [
  ...["esp_assert.h", "esp_check.h", "esp_err.h", "esp_log.h", "esp_private/usb_phy.h", "soc/soc_caps.h"],
  ...["FreeRTOS.h", "semphr.h", "task.h", "timers.h"].map((name) => `freertos/${name}`),
];

const STACK = [
  ...["tusb.c", "common/tusb_fifo.c", "device/usbd.c", "device/usbd_control.c", "class/cdc/cdc_device.c"],
];
const WRAPPER = ["cdc.c", "descriptors_control.c", "tinyusb.c", "tinyusb_cdc_acm.c", "usb_descriptors.c"];

/** An option's first default in Kconfig, which is what a board has that does not set it. */
function defaultsOf(kconfig: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const block of kconfig.split(/^\s*(?:config|choice|menu|endmenu)\b/m)) {
    const name = /^ (\w+)\n/.exec(block)?.[1];
    const value = /^\s*default (".*"|\S+)/m.exec(block)?.[1];
    if (name !== undefined && value !== undefined) values.set(`CONFIG_${name}`, value);
  }
  return values;
}

function configuration(wrapper: string): string {
  const values = defaultsOf(readFileSync(path.join(wrapper, "Kconfig"), "utf8"));
  for (const [, name = "", value = ""] of readFileSync(OPTIONS, "utf8").matchAll(
    /^(CONFIG_TINYUSB\w+)=(.*)$/gm,
  ))
    values.set(name, value);
  const lines = [...values]
    .filter(([, value]) => value !== "n")
    .map(([name, value]) => `#define ${name} ${value === "y" ? 1 : value}\n`);
  return lines.join("");
}

/** @returns the program's exit status */
function run(stack: string, wrapper: string, directory: string): number {
  for (const name of HEADERS) {
    mkdirSync(path.join(directory, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(directory, name), '#include "esp-idf.h"\n');
  }
  writeFileSync(path.join(directory, "sdkconfig.h"), configuration(wrapper));
  const folders = [
    ...[directory, import.meta.dirname, path.join(root, "host-tests/native")],
    ...["include", "include_private"].map((name) => path.join(wrapper, name)),
    path.join(stack, "src"),
    ...["device/hosts/common/native", "device/hosts/posix/native/usb"].map((name) => path.join(root, name)),
  ];
  const files = [
    ...["cable.c", "host.c"].map(here),
    path.join(root, "device/hosts/esp32/native/usb-device/board-usb.c"),
    ...STACK.map((name) => path.join(stack, "src", name)),
    ...WRAPPER.map((name) => path.join(wrapper, name)),
  ];
  const program = path.join(directory, "cable");
  execFileSync(
    "gcc",
    [
      ...[
        "-std=gnu17",
        "-g",
        "-O1",
        "-fsanitize=address,undefined",
        "-ffunction-sections",
        "-Wl,--gc-sections",
      ],
      ...["-DCFG_TUSB_MCU=OPT_MCU_ESP32S3", '-DCFG_TUSB_CONFIG_FILE="tusb-config.h"'],
      ...folders.map((folder) => `-I${folder}`),
      ...files,
      ...["-o", program],
    ],
    { stdio: "inherit" },
  );
  return spawnSync(program, { stdio: "inherit" }).status ?? 1;
}

const { TINYUSB_PATH: stack, ESP_TINYUSB_PATH: wrapper, SVC_TEST_REQUIRE = "" } = process.env;
if (stack && wrapper) {
  const directory = mkdtempSync(path.join(tmpdir(), "svc-usb-"));
  try {
    process.exitCode = run(stack, wrapper, directory);
    console.log(process.exitCode === 0 ? "The port holds on TinyUSB" : "The port does not hold on TinyUSB");
  } finally {
    rmSync(directory, { recursive: true });
  }
} else {
  console.log("Not run: TINYUSB_PATH and ESP_TINYUSB_PATH name no TinyUSB");
  if (SVC_TEST_REQUIRE.split(",").includes("tinyusb")) process.exitCode = 1;
}
