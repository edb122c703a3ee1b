/** `svc hub publisher …`: manages the publishers at the hub of this environment. */
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { withPublishers } from "../hub/operator.js";
import { textTable } from "../text-table.js";

const NAME = { name: "NAME", summary: "of the publisher" };

/** @param {string | undefined} list of architectures, with commas between them */
function architecturesOf(list = "") {
  return list.split(",").filter((name) => name !== "");
}

/**
 * What became of what was published, for people.
 *
 * @param {import("../../hub/publishers/publishers.ts").Withdrawal} withdrawn
 */
export function withdrawnLines({ apps, firmware }) {
  return [
    ...apps.map(({ app_id, version }) => `withdrawn ${app_id} ${version}`),
    ...firmware.map(({ arch, version }) => `withdrawn firmware ${version} for ${arch}`),
  ];
}

/** @type {import("../command.js").Command} */
export const hubPublisherAdd = Object.freeze({
  name: "hub publisher add",
  summary: "Lets somebody publish, and prints their token, once.",
  parameters: [NAME],
  options: [
    {
      name: "key",
      value: "PUB.pem",
      summary: "file of their Ed25519 public key",
      isRequired: true,
      isFile: true,
    },
    {
      name: "firmware",
      value: "ARCH,…",
      summary: "architectures for which they may publish firmware; none by default",
    },
  ],
  async run({ values: { NAME: name = "", key = "", firmware }, warn }) {
    const pem = String(await readInput(key, TEXT_FILE_LIMIT_BYTES));
    const added = await withPublishers((publishers) => publishers.add(name, pem, architecturesOf(firmware)), {
      onNews: warn,
      makesHub: true,
    });
    return { text: `publisher ${added.publisher_id}\ntoken ${added.token}`, json: added };
  },
});

/** @type {import("../command.js").Command} */
export const hubPublisherList = Object.freeze({
  name: "hub publisher list",
  summary: "Lists publishers, those that were revoked too.",
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

/** @type {import("../command.js").Command} */
export const hubPublisherRevoke = Object.freeze({
  name: "hub publisher revoke",
  summary: "Ends a publisher's token and keys, and withdraws what they have published.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const revoked = await withPublishers((publishers) => publishers.revoke(name));
    return { text: [`revoked ${name}`, ...withdrawnLines(revoked.withdrawn)].join("\n"), json: revoked };
  },
});

/** @type {import("../command.js").Command} */
export const hubPublisherFirmware = Object.freeze({
  name: "hub publisher firmware",
  summary: "Sets for which architectures a publisher may publish firmware.",
  parameters: [NAME, { name: "ARCHITECTURES", summary: "with commas between them, or `none`" }],
  options: [],
  async run({ values: { NAME: name = "", ARCHITECTURES: list = "" } }) {
    const architectures = list === "none" ? [] : architecturesOf(list);
    const publisher = await withPublishers((publishers) => publishers.setFirmware(name, architectures));
    return { text: `${name}: firmware for ${publisher.firmware.join(", ") || "none"}`, json: publisher };
  },
});

/** @type {import("../command.js").Command} */
export const hubPublisherToken = Object.freeze({
  name: "hub publisher token",
  summary: "Prints a new token for a publisher, once; the one before ends.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const renewed = await withPublishers((publishers) => publishers.renewToken(name));
    return { text: `token ${renewed.token}`, json: renewed };
  },
});
