/** How many consoles a rollout would reach, and how many of them in each step, before it starts. */
import { useEffect, useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../advice.js";
import { ErrorNote, Note } from "../parts/messages.js";
import { Card } from "../parts/panel.js";
import type { Filter, FleetClient } from "./fleet-client.js";
import { stepSizes } from "./step-sizes.js";

/** Without a change of the conditions: half a typed tag is not asked for. */
const REST_MS = 300;

export type DeviceCount =
  | { readonly phase: "counting" }
  | { readonly phase: "counted"; readonly devices: number }
  | { readonly phase: "failed"; readonly error: UserError };

/** The consoles that match now; counted again when the conditions change. */
export function useDeviceCount(client: FleetClient, filter: Filter): DeviceCount {
  const key = JSON.stringify(filter);
  const [counted, setCounted] = useState<{ readonly key: string; readonly count: DeviceCount }>();
  useEffect(() => {
    let isWanted = true;
    const settle = (count: DeviceCount) => {
      if (isWanted) setCounted({ key, count });
    };
    const timer = setTimeout(() => {
      client.countDevices(JSON.parse(key)).then(
        (devices) => settle({ phase: "counted", devices }),
        (error: unknown) => settle({ phase: "failed", error: userErrorOf(error) }),
      );
    }, REST_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [client, key]);
  return counted?.key === key ? counted.count : { phase: "counting" };
}

interface PreviewProps {
  readonly count: DeviceCount;
  /** Of all consoles, at the end of each step. */
  readonly percents: readonly number[];
}

export function RolloutPreview({ count, percents }: PreviewProps) {
  return (
    <Card title="4. Preview">
      <div role="status">
        {count.phase === "counting" && <p class="muted">Counting…</p>}
        {count.phase === "counted" && <Reach devices={count.devices} />}
      </div>
      {count.phase === "failed" && <ErrorNote error={count.error} />}
      {count.phase === "counted" && count.devices > 0 && (
        <ol class="stack" aria-label="Consoles of each step">
          {stepSizes(percents, count.devices).map((devices, at) => (
            <li key={percents[at]}>
              Step {at + 1}, to {percents[at]}%: {devices} consoles
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Reach({ devices }: { readonly devices: number }) {
  if (devices === 0) return <Note tone="warning">No console matches: there is nothing to start.</Note>;
  return <p>It reaches {devices} consoles, as of now.</p>;
}
