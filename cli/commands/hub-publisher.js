/** `svc hub publisher …`: who may publish at the hub of this environment. */
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { withPublishers } from "../hub/operator.js";
import { textTable } from "../text-table.js";

const NAME = { name: "NAME", summary: "of the publisher" };

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
  ],
  async run({ values: { NAME: name = "", key = "" }, warn }) {
    const pem = String(await readInput(key, TEXT_FILE_LIMIT_BYTES));
    const added = await withPublishers((publishers) => publishers.add(name, pem), {
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
    const rows = publishers.map(({ publisher_id, name, created_at, revoked_at }) => {
      return [publisher_id, created_at, revoked_at === null ? "active" : `revoked ${revoked_at}`, name];
    });
    return { text: textTable(rows), json: { publishers } };
  },
});

/** @type {import("../command.js").Command} */
export const hubPublisherRevoke = Object.freeze({
  name: "hub publisher revoke",
  summary: "Makes a publisher's token worthless; what they have published stays.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const revoked = await withPublishers((publishers) => publishers.revoke(name));
    return { text: `revoked ${name}`, json: revoked };
  },
});
