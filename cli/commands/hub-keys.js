/** `svc hub keys …`: manages the keys that consoles must no longer trust. */
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { withPublishers } from "../hub/operator.js";

/** @type {import("../command.js").Command} */
export const hubKeysRevoke = Object.freeze({
  name: "hub keys revoke",
  summary: "Sends a list of revoked keys to every console, in the place of the list before.",
  parameters: [{ name: "LIST", summary: "signed by a firmware key that consoles trust", isFile: true }],
  options: [],
  async run({ values: { LIST: file = "" } }) {
    const list = await readInput(file, TEXT_FILE_LIMIT_BYTES);
    const given = await withPublishers((publishers) => publishers.pushRevocations(list));
    return { text: `list ${given.number} with ${given.keys} keys goes to every console`, json: given };
  },
});
