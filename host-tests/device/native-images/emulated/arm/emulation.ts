/** Runs native images for Arm, in a program whose functions pass numbers of floating point in registers of their own. */
import type { Emulation } from "../emulation.js";

export const ARM = Object.freeze<Emulation>({
  directory: import.meta.dirname,
  compiler: "arm-none-eabi-gcc",
  flags: ["-mthumb", "-march=armv7-a+fp", "-mfloat-abi=hard"],
  libraries: ["-lm", "-lc", "-lgcc"],
  emulator: ["qemu-arm"],
});
