/** Firmware with one deliberate fault each, for watching a console recover from it. */

/** Programs by what is wrong with them. None opens anything. */
export const FAULTS = Object.freeze({
  crash: `export default function main() {\n  throw new Error("This firmware was built to crash");\n}\n`,
  hang: "export default function main() {\n  for (;;);\n}\n",
  silent: "export default function main() {}\n",
});

export type Fault = keyof typeof FAULTS;
