/** The page of one rollout: its steps as they go, the causes of failures, and what can be done about it. */
import { useCallback, useState } from "preact/hooks";
import type { Rollout } from "../../protocol/hub/answers/rollouts.js";
import { Button } from "../parts/button.js";
import { ErrorNote, Note } from "../parts/messages.js";
import { ProgressBar } from "../parts/meter.js";
import { Card, Panel } from "../parts/panel.js";
import type { PageProps } from "./fleet-app.js";
import { rolloutTitle, StateTag } from "./rollouts.js";
import { linkTo } from "./route.js";
import { useAction } from "./use-action.js";
import { usePolled } from "./use-polled.js";

const EVERY_MS = 2000;

interface RolloutProps extends PageProps {
  readonly id: string;
}

export function RolloutPage({ client, id, mayOrder }: RolloutProps) {
  const loaded = usePolled(
    useCallback(async () => {
      const rollout = await client.rollout(id);
      return { rollout, failures: rollout.total.failed > 0 ? await client.failures(id) : [] };
    }, [client, id]),
    EVERY_MS,
  );
  const { rollout, failures = [] } = loaded.value ?? {};
  const told = failures.reduce((sum, [, devices]) => sum + devices, 0);
  return (
    <Panel
      title={rollout ? rolloutTitle(rollout) : "Rollout"}
      toolbar={<a href={linkTo(["rollouts"])}>All rollouts</a>}
    >
      {loaded.error && <ErrorNote error={loaded.error} />}
      {rollout && (
        <>
          <div class="row" role="status">
            <StateTag rollout={rollout} />
            {rollout.reason && <Note tone="bad">{rollout.reason}</Note>}
          </div>
          {mayOrder && <Changes client={client} rollout={rollout} onChanged={loaded.reload} />}
          <Card title="Steps">
            <ol class="stack" aria-label="Steps of the rollout">
              {rollout.steps.map((step) => (
                <li key={step.step}>
                  <ProgressBar
                    label={`Step ${step.step}, to ${step.percent}%${step.step === rollout.step ? " (now)" : ""}`}
                    value={step.devices === 0 ? 1 : step.succeeded / step.devices}
                    detail={countsText(step)}
                  />
                </li>
              ))}
            </ol>
          </Card>
          {failures.length > 0 && (
            <Card title="Failures by cause">
              {told < rollout.total.failed && (
                <p>
                  Of the first {told} of {rollout.total.failed} that have failed.
                </p>
              )}
              <ul class="stack" aria-label="Failures by cause">
                {failures.map(([cause, devices]) => (
                  <li key={cause}>
                    <code>{cause}</code>: {devices} consoles
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </>
      )}
    </Panel>
  );
}

/** All of its consoles: the numbers add up. */
function countsText({ devices, succeeded, sent, waiting, failed, cancelled }: Rollout["total"]): string {
  const ended = cancelled > 0 ? `, ${cancelled} cancelled` : "";
  return `${succeeded} of ${devices} done, ${sent} sent, ${waiting} wait, ${failed} failed${ended}`;
}

interface ChangesProps extends Pick<PageProps, "client"> {
  readonly rollout: Rollout;
  readonly onChanged: () => Promise<void>;
}

function Changes({ client, rollout: { rollout_id, state }, onChanged }: ChangesProps) {
  const [isAsking, setAsking] = useState(false);
  const action = useAction();
  const change = (event: "pause" | "resume" | "cancel") => () =>
    action.run(async () => {
      await client.changeRollout(rollout_id, event);
      setAsking(false);
      await onChanged();
    });
  if (state !== "running" && state !== "paused") return null;
  return (
    <>
      <div class="row">
        {state === "running" ? (
          <Button busy={action.isBusy} onClick={change("pause")}>
            Pause
          </Button>
        ) : (
          <Button kind="primary" busy={action.isBusy} onClick={change("resume")}>
            Resume
          </Button>
        )}
        {isAsking ? (
          <>
            <Button kind="danger" busy={action.isBusy} onClick={change("cancel")}>
              Cancel it for good
            </Button>
            <Button onClick={() => setAsking(false)}>Keep it</Button>
          </>
        ) : (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Cancel the rollout
          </Button>
        )}
      </div>
      {action.error && <ErrorNote error={action.error} />}
    </>
  );
}
