/** `svc keygen`: the keys of somebody who publishes apps or firmware. */
import { makeKeyPair } from "../../sdk/publisher-keys.js";
import { writing } from "../files.js";

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
  ],
  async run({ values: { out = "" } }) {
    const { privateFile, publicFile, label } = await writing(`keys to "${out}"`, () => makeKeyPair(out));
    return {
      text: `${privateFile}: signs; keep it secret, and keep a copy\n${publicFile}: for whoever is to trust you; key ${label}`,
      json: { private_key: privateFile, public_key: publicFile, label },
    };
  },
});
