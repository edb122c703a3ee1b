/** What the operator does where the hub's environment is: hub/operator.ts, built. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildHub } from "../../hub/build.js";

/** @typedef {typeof import("../../hub/operator.ts")} Operator */
/** @typedef {import("../../hub/publishers/publishers.ts").Publishers} Publishers */

/**
 * Has the publishers of this environment's hub used.
 *
 * @template Result
 * @param {(publishers: Publishers) => Promise<Result>} use
 * @param {import("../../hub/operator.ts").OperatorOptions} [options]
 * @returns {Promise<Result>}
 */
export async function withPublishers(use, options) {
  const directory = await buildHub();
  /** @type {Operator} */
  const operator = await import(pathToFileURL(path.join(directory, "operator.js")).href);
  return operator.withPublishers(process.env, use, options);
}
