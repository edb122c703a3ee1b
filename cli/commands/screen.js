/** `svc screen`, `svc buttons`: remote access to a console's display and buttons. */
import { requireDirectory, writeOutput } from "../files.js";
import { bytesText } from "../terminal/units.js";

/** Bits of `buttons()` of the ABI (docs/spec/app-abi-and-quotas.md#buttons), from bit 0. */
const BUTTONS = Object.freeze(["up", "down", "left", "right", "a", "b", "x", "y", "start", "select"]);

/** @type {import("../command.js").Command} */
export const screen = Object.freeze({
  name: "screen",
  summary: "Takes a picture of what a console's display shows.",
  parameters: [],
  options: [{ name: "out", value: "PNG", summary: "the file to write", isRequired: true, isFile: true }],
  isForConsole: true,
  async run({ values: { out = "" }, device, signal }) {
    requireDirectory(out);
    const png = await (await device()).screen(signal);
    await writeOutput(out, png);
    return { text: `${out}: ${bytesText(png.length)}`, json: { file: out, bytes: png.length } };
  },
});

/** @type {import("../command.js").Command} */
export const buttons = Object.freeze({
  name: "buttons",
  summary: "Holds buttons of a console down, and lets go of all others.",
  parameters: [
    {
      name: "BUTTON",
      summary: "left out: lets go of all",
      isOptional: true,
      isRepeatable: true,
      choices: BUTTONS,
    },
  ],
  options: [],
  isForConsole: true,
  async run({ lists: { BUTTON: names = [] }, device }) {
    const answer = await (await device()).press(bitsOf(names));
    return {
      text: names.length === 0 ? "no button is pressed" : `pressed: ${names.join(", ")}`,
      json: answer,
    };
  },
});

/** @param {readonly string[]} names of the table, as commander has made sure */
function bitsOf(names) {
  return names.reduce((bits, name) => bits | (1 << BUTTONS.indexOf(name)), 0);
}
