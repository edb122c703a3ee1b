/** `svc keygen`: creates a key pair for a publisher of apps or firmware. */

import { makeKeyPair } from "../../sdk/publisher-keys.js";
import { loadTypeScript } from "../../tools/load-typescript.js";
import { writing } from "../files.js";
import { SvcError } from "../svc-error.js";

/** @type {import("../command.js").Command} */
export const keygen = Object.freeze({
  name: "keygen",
  summary: "Makes a pair of keys to sign apps and firmware with.",
  parameters: [],
  options: [
    {
      name: "out",
      value: "DIR",
      summary: "directory for publisher.pem and publisher.pub.pem",
      isRequired: true,
      isFile: true,
    },
    {
      name: "roles",
      value: "ROLE,…",
      summary: "what the key may sign on consoles: app, firmware, hub, native; by default all of them",
    },
  ],
  async run({ values: { out = "", roles } }) {
    const heading = roles === undefined ? "" : await headingOf(roles);
    const { privateFile, publicFile, label } = await writing(`keys to "${out}"`, () =>
      makeKeyPair(out, heading),
    );
    return {
      text: `${privateFile}: signs; keep it secret, and keep a copy\n${publicFile}: for whoever is to trust you; key ${label}`,
      json: { private_key: privateFile, public_key: publicFile, label },
    };
  },
});

/** @param {string} roles separated by commas */
async function headingOf(roles) {
  /** @type {typeof import("../../protocol/keys/key-role.ts")} */
  const { KEY_ROLES, readRolesLine, rolesLine, rolesOf } = await loadTypeScript([
    "protocol/keys/key-role.ts",
  ]);
  const read = readRolesLine(`# roles: ${roles}`);
  if (read === 0)
    throw new SvcError("wrong_usage", `"${roles}" is no list of roles, which are ${KEY_ROLES.join(", ")}`);
  return rolesLine(rolesOf(read));
}
