/** `svc hub keys …`: manages the keys that consoles must no longer trust. */
import type { Command } from "../command.js";
import { readInput, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { withPublishers } from "../hub/operator.js";

export const hubKeysRevoke: Command = Object.freeze<Command>({
  name: "hub keys revoke",
  summary: "Send a list of revoked keys to every console, replacing the previous list.",
  parameters: [{ name: "LIST", summary: "list signed by a firmware key that consoles trust", isFile: true }],
  options: [],
  async run({ values: { LIST: file = "" } }) {
    const list = await readInput(file, TEXT_FILE_LIMIT_BYTES);
    const given = await withPublishers((publishers) => publishers.pushRevocations(list));
    return { text: `sending list ${given.number} with ${given.keys} keys to every console`, json: given };
  },
});
