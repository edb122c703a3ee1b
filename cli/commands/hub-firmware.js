/** `svc hub firmware …`: manages firmware at the hub of this environment. */
import { withPublishers } from "../hub/operator.js";
import { withdrawnLines } from "./hub-publisher.js";

/** @type {import("../command.js").Command} */
export const hubFirmwareWithdraw = Object.freeze({
  name: "hub firmware withdraw",
  summary: "Withdraws firmware: it is offered no more, and no console is told of it.",
  parameters: [{ name: "VERSION", summary: "MAJOR.MINOR.PATCH" }],
  options: [{ name: "arch", value: "ARCH", summary: "for this architecture alone; for all by default" }],
  async run({ values: { VERSION: version = "", arch } }) {
    const withdrawn = await withPublishers((publishers) => publishers.withdrawFirmware(version, arch));
    return { text: withdrawnLines(withdrawn).join("\n"), json: withdrawn };
  },
});
