/** The Resolver port over node:dns. */
import { lookup } from "node:dns";
import type { Resolver } from "../../protocol/ports/network.js";

const NAME_LIMIT = 253;

export const nodeResolver: Resolver = Object.freeze({
  resolve(name, onResolved) {
    if (name === "" || name.length > NAME_LIMIT || name.includes("\0"))
      throw new RangeError("this is not a name of a host");
    lookup(name, { order: "ipv4first" }, (error, address) =>
      error
        ? onResolved(new Error(`Cannot find "${name}"`, { cause: error }), undefined)
        : onResolved(undefined, address),
    );
  },
} satisfies Resolver);
