/** `svc hub firmware …`: manages firmware at the hub of this environment. */
import type { Command } from "../command.js";
import { withPublishers } from "../hub/operator.js";
import { withdrawnLines } from "./hub-publisher.js";

export const hubFirmwareWithdraw: Command = Object.freeze<Command>({
  name: "hub firmware withdraw",
  summary: "Withdraw firmware: the hub stops offering it to consoles.",
  parameters: [{ name: "VERSION", summary: "MAJOR.MINOR.PATCH" }],
  options: [{ name: "arch", value: "ARCH", summary: "withdraw it for this architecture only; default: all" }],
  async run({ values: { VERSION: version = "", arch } }) {
    const withdrawn = await withPublishers((publishers) => publishers.withdrawFirmware(version, arch));
    return { text: withdrawnLines(withdrawn).join("\n"), json: withdrawn };
  },
});
