/** Firmware that is broken in one way each, for whoever wants to see a console come back from it. */

/** Programs by what is wrong with them. None opens anything. */
export const FAULTS = Object.freeze({
  crash: `export default function main() {\n  throw new Error("This firmware was built to crash");\n}\n`,
  hang: "export default function main() {\n  for (;;);\n}\n",
  silent: "export default function main() {}\n",
});

/** @typedef {keyof typeof FAULTS} Fault */
