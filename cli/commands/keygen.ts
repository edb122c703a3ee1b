/** `svc keygen`: creates a key pair for a publisher of apps or firmware. */
import { KEY_ROLES, readRolesLine, rolesLine, rolesOf } from "../../protocol/keys/pem-reader.js";
import { makeKeyPair } from "../../sdk/publisher-keys.js";
import type { Command } from "../command.js";
import { writing } from "../files.js";
import { SvcError } from "../svc-error.js";

export const keygen: Command = Object.freeze<Command>({
  name: "keygen",
  summary: "Create a key pair to sign apps and firmware.",
  parameters: [],
  options: [
    {
      name: "out",
      value: "DIR",
      summary: "write publisher.pem and publisher.pub.pem to this directory",
      isRequired: true,
      isFile: true,
    },
    {
      name: "roles",
      value: "ROLE,…",
      summary: "what consoles trust the key for: app, firmware, hub, native; default: all",
    },
  ],
  async run({ values: { out = "", roles } }) {
    const heading = roles === undefined ? "" : await headingOf(roles);
    const { privateFile, publicFile, label } = await writing(`keys to "${out}"`, () =>
      makeKeyPair(out, heading),
    );
    return {
      text: `${privateFile}: private key; keep it secret, and back it up\n${publicFile}: public key ${label}; give it to those who should trust you`,
      json: { private_key: privateFile, public_key: publicFile, label },
    };
  },
});

/** @param roles separated by commas */
async function headingOf(roles: string): Promise<string> {
  const read = readRolesLine(`# roles: ${roles}`);
  if (read === 0)
    throw new SvcError(
      "wrong_usage",
      `--roles must list ${KEY_ROLES.join(", ")} with commas, not "${roles}"`,
    );
  return rolesLine(rolesOf(read));
}
