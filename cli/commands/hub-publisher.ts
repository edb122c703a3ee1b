/** `svc hub publisher …`: manages the publishers at the hub of this environment. */
import type { Withdrawal } from "../../hub/publishers/withdrawal.js";
import type { Command } from "../command.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { withPublishers } from "../hub/operator.js";
import { textTable } from "../text-table.js";

const NAME = { name: "NAME", summary: "name of the publisher" };

/** @param list of architectures, with commas between them */
function architecturesOf(list: string | undefined = ""): string[] {
  return list.split(",").filter((name) => name !== "");
}

/** What became of what was published, for people. */
export function withdrawnLines({ apps, firmware }: Withdrawal): string[] {
  return [
    ...apps.map(({ app_id, version }) => `withdrawn ${app_id} ${version}`),
    ...firmware.map(({ arch, version }) => `withdrawn firmware ${version} for ${arch}`),
  ];
}

export const hubPublisherAdd: Command = Object.freeze<Command>({
  name: "hub publisher add",
  summary: "Add a publisher and print their token, which is not shown again.",
  parameters: [NAME],
  options: [
    {
      name: "key",
      value: "PUB.pem",
      summary: "Ed25519 public key of the publisher",
      isRequired: true,
      isFile: true,
    },
    {
      name: "firmware",
      value: "ARCH,…",
      summary: "architectures for which the publisher may publish firmware; default: none",
    },
  ],
  async run({ values: { NAME: name = "", key = "", firmware }, warn }) {
    const pem = String(await readInput(key, TEXT_FILE_LIMIT_BYTES));
    const added = await withPublishers((publishers) => publishers.add(name, pem, architecturesOf(firmware)), {
      onNotice: warn,
      createsHub: true,
    });
    return { text: `publisher ${added.publisher_id}\ntoken ${added.token}`, json: added };
  },
});

export const hubPublisherList: Command = Object.freeze<Command>({
  name: "hub publisher list",
  summary: "List the publishers, including revoked ones.",
  parameters: [],
  options: [],
  async run() {
    const publishers = await withPublishers((all) => all.list());
    const rows = publishers.map(({ publisher_id, name, firmware, created_at, revoked_at }) => {
      const state = revoked_at === null ? "active" : `revoked ${revoked_at}`;
      return [publisher_id, created_at, state, name, ...(firmware.length ? [`firmware ${firmware}`] : [])];
    });
    return { text: textTable(rows), json: { publishers } };
  },
});

export const hubPublisherRevoke: Command = Object.freeze<Command>({
  name: "hub publisher revoke",
  summary: "Revoke a publisher's token and keys, and withdraw everything they published.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const revoked = await withPublishers((publishers) => publishers.revoke(name));
    return { text: [`revoked ${name}`, ...withdrawnLines(revoked.withdrawn)].join("\n"), json: revoked };
  },
});

export const hubPublisherFirmware: Command = Object.freeze<Command>({
  name: "hub publisher firmware",
  summary: "Set the architectures for which a publisher may publish firmware.",
  parameters: [NAME, { name: "ARCHITECTURES", summary: "architectures separated by commas, or `none`" }],
  options: [],
  async run({ values: { NAME: name = "", ARCHITECTURES: list = "" } }) {
    const architectures = list === "none" ? [] : architecturesOf(list);
    const publisher = await withPublishers((publishers) => publishers.setFirmware(name, architectures));
    return { text: `${name}: firmware for ${publisher.firmware.join(", ") || "none"}`, json: publisher };
  },
});

export const hubPublisherToken: Command = Object.freeze<Command>({
  name: "hub publisher token",
  summary: "Print a new token for a publisher, which is not shown again; the old one stops working.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const renewed = await withPublishers((publishers) => publishers.renewToken(name));
    return { text: `token ${renewed.token}`, json: renewed };
  },
});
