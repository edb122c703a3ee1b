/** The page of the team, for owners: members, programs, and what was done with their tokens. */
import { useCallback } from "preact/hooks";
import { useLoaded } from "../hub/use-loaded.js";
import { Tag } from "../parts/facts.js";
import { ErrorNote } from "../parts/messages.js";
import { Card, Panel } from "../parts/panel.js";
import type { PageProps } from "./fleet-app.js";
import { timeText } from "./times.js";

export function Team({ client }: PageProps) {
  const { value, error } = useLoaded(useCallback(() => client.team(), [client]));
  return (
    <Panel title="Team">
      {error && <ErrorNote error={error} />}
      {value && (
        <>
          <div class="columns">
            <Card title="Members">
              <ul class="stack" aria-label="Members">
                {value.members.map(({ member_id, name, role }) => (
                  <li key={member_id}>
                    {name} <Tag>{role}</Tag>
                  </li>
                ))}
              </ul>
            </Card>
            <Card title="Programs">
              <ul class="stack" aria-label="Programs">
                {value.programs.map(({ token_id, name, scopes }) => (
                  <li key={token_id}>
                    {name} <Tag>{scopes.join(", ")}</Tag>
                  </li>
                ))}
              </ul>
            </Card>
          </div>
          <Card title="Audit">
            <ol class="stack" aria-label="Audit">
              {value.audit.map((entry, index) => (
                <li key={`${entry.at} ${index}`}>
                  <span class="muted">{timeText(entry.at)}</span> {entry.actor_name ?? entry.actor}:{" "}
                  <code>{entry.action}</code> from {entry.address},{" "}
                  <Tag tone={entry.status < 400 ? "good" : "bad"}>{`${entry.status}`}</Tag>
                </li>
              ))}
            </ol>
          </Card>
        </>
      )}
    </Panel>
  );
}
