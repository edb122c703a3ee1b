/** Validates a requested rollout plan and fills in defaults. */
import { Fault } from "../../protocol/fault.js";
import type { Catalog } from "../catalog/catalog.js";
import type { Row } from "../database/schema.js";
import type { Firmwares } from "../firmware/firmwares.js";
import type { RolloutRequest } from "./rollout-schemas.js";
import type { RolloutStep } from "./rollout-state.js";

export interface Sources {
  readonly catalog: Catalog;
  readonly firmwares: Firmwares;
}

/** What every device of a rollout is sent. */
export type Payload = Pick<Row<"rollouts">, "kind" | "subject" | "version">;

/**
 * @throws {Fault} `missing_parameter`, `bad_parameter`, `app_not_found`, `app_retracted`, `version_not_found`,
 *   `firmware_not_found`
 */
export async function payloadOf({ catalog, firmwares }: Sources, request: RolloutRequest): Promise<Payload> {
  const { app_id, arch, kind, version } = request;
  if (kind === "app") {
    const found = await catalog.requireVersion(required("app_id", app_id, kind), version);
    return { kind, subject: found.app_id, version: found.version };
  }
  const found = await firmwares.require(required("arch", arch, kind), version);
  return { kind, subject: found.arch, version: found.version };
}

/**
 * Left out: one step of all devices, which stops for nothing.
 * @throws {Fault} `bad_parameter`
 */
export function stepsOf({ steps }: RolloutRequest): readonly RolloutStep[] {
  const filled = (steps ?? [{ percent: 100 }]).map(
    ({ percent, success_percent = 100, error_percent = 100 }) => ({
      percent,
      success_percent,
      error_percent,
    }),
  );
  if (filled.some(({ percent }, at) => percent <= (filled[at - 1]?.percent ?? 0)))
    throw new Fault("bad_parameter", 'Cannot plan "steps": "percent" counts from the start, and rises');
  if (filled.at(-1)?.percent !== 100)
    throw new Fault("bad_parameter", 'Cannot plan "steps": "percent" of the last one is 100');
  return filled;
}

function required(name: string, value: string | undefined, kind: string): string {
  if (value !== undefined) return value;
  throw new Fault("missing_parameter", `"${name}" is missing: the rollout is one of ${kind}`);
}
