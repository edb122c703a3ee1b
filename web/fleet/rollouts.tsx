/** The page of all rollouts, newest first. */
import { useCallback } from "preact/hooks";
import type { Rollout } from "../../protocol/hub/answers/rollouts.js";
import { Tag } from "../parts/facts.js";
import { Empty, ErrorNote } from "../parts/messages.js";
import { Panel } from "../parts/panel.js";
import type { PageProps } from "./fleet-app.js";
import { linkTo } from "./route.js";
import { timeText } from "./times.js";
import { usePolled } from "./use-polled.js";

const EVERY_MS = 5000;

const TONES = {
  running: "accent",
  paused: "warning",
  stopped: "bad",
  cancelled: "quiet",
  completed: "good",
} as const;

export function Rollouts({ client, mayOrder }: PageProps) {
  const { value, error } = usePolled(
    useCallback(() => client.rollouts(), [client]),
    EVERY_MS,
  );
  return (
    <Panel title="Rollouts" toolbar={mayOrder && <a href={linkTo(["rollouts", "new"])}>New rollout</a>}>
      {error && <ErrorNote error={error} />}
      {value?.rollouts.length === 0 && <Empty title="There is no rollout" />}
      <ul class="stack" aria-label="Rollouts">
        {value?.rollouts.map((rollout) => (
          <li key={rollout.rollout_id} class="row">
            <a href={linkTo(["rollouts", rollout.rollout_id])}>{rolloutTitle(rollout)}</a>
            <StateTag rollout={rollout} />
            <span class="muted">
              {rollout.total.succeeded} of {rollout.total.devices}, since {timeText(rollout.created_at)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function StateTag({ rollout: { state } }: { readonly rollout: Rollout }) {
  return <Tag tone={TONES[state]}>{state}</Tag>;
}

export function rolloutTitle({ kind, app_id, arch, version }: Rollout): string {
  return kind === "app" ? `${app_id} ${version}` : `Firmware ${version} for ${arch}`;
}
