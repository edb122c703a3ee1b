/** The first page: how much needs attention, and the ways to it. */
import { useCallback } from "preact/hooks";
import { ErrorNote } from "../parts/messages.js";
import { Card, Panel } from "../parts/panel.js";
import type { PageProps } from "./fleet-app.js";
import { linkTo } from "./route.js";
import { usePolled } from "./use-polled.js";

const EVERY_MS = 10_000;

export function Overview({ client }: PageProps) {
  const { value, error } = usePolled(
    useCallback(async () => {
      const [counts, needing, all] = await Promise.all([
        client.attention(),
        client.devices({ attention: "true" }, 1),
        client.devices({}, 1),
      ]);
      return { counts, needing: needing.total, all: all.total };
    }, [client]),
    EVERY_MS,
  );
  return (
    <Panel title="Overview">
      {error && <ErrorNote error={error} />}
      {value && (
        <div class="columns">
          <Card title="Needs attention">
            <p class="figure">
              <a href={linkTo(["consoles"], { attention: "true" })}>
                {value.needing} of {value.all} consoles
              </a>
            </p>
          </Card>
          <Card title="Why">
            <ul class="stack">
              <li>
                {value.counts.devices_failed} consoles have failed {value.counts.commands_failed} commands in
                the last day
              </li>
              <li>
                Consoles that crashed, or whose app did, in the last day: {value.counts.devices_crashed}
              </li>
              <li>{value.counts.devices_offline} consoles were not seen for a day</li>
              <li>
                <a href={linkTo(["rollouts"])}>{value.counts.rollouts_stopped} rollouts</a> were stopped in
                the last seven days
              </li>
            </ul>
          </Card>
        </div>
      )}
    </Panel>
  );
}
