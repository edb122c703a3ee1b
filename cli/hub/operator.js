/** Loads the operator's commands, for use in the hub's environment: hub/operator.ts, built. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildHub } from "../../hub/build.js";
import { systemReason } from "../files.js";
import { SvcError } from "../svc-error.js";

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
  try {
    return await operator.withPublishers(process.env, use, options);
  } catch (error) {
    throw explained(error);
  }
}

/** @param {unknown} error of the hub's own, or of what its database and files are on */
function explained(error) {
  const { name, message } = /** @type {Error} */ (error);
  if (name === "ConfigError") return new SvcError("config_invalid", message, { cause: error });
  const reason = systemReason(error);
  if (reason === undefined) return error;
  return new SvcError("hub_unusable", `Cannot use the hub of this environment: ${message}`, { cause: error });
}
