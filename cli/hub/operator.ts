/** Runs the operator's commands of the hub (hub/operator.ts) in the hub's environment. */
import type { OperatorOptions } from "../../hub/operator.js";
import type { Publishers } from "../../hub/publishers/publishers.js";
import { systemReason } from "../files.js";
import { SvcError } from "../svc-error.js";

/** Has the publishers of this environment's hub used. */
export async function withPublishers<Result>(
  use: (publishers: Publishers) => Promise<Result>,
  options?: OperatorOptions,
): Promise<Result> {
  const operator = await import("../../hub/operator.js"); // which loads databases
  try {
    return await operator.withPublishers(process.env, use, options);
  } catch (error) {
    throw explained(error);
  }
}

/** @param error of the hub, its database or its files */
function explained(error: unknown): unknown {
  const { name, message } = error as Error;
  if (name === "ConfigError") return new SvcError("config_invalid", message, { cause: error });
  const reason = systemReason(error);
  if (reason === undefined) return error;
  return new SvcError("hub_unusable", `Cannot use the hub of this environment: ${message}`, { cause: error });
}
