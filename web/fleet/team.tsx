/** The page of the team, for owners: members, programs, and what was done with their tokens. */
import { Panel } from "../parts/panel.js";
import { AuditLog } from "./audit-log.js";
import type { PageProps } from "./fleet-app.js";
import { Members } from "./members.js";
import { Programs } from "./programs.js";

export function Team({ client, scopes }: PageProps) {
  if (!scopes.includes("account")) return <p>Your token may not manage the team.</p>;
  return (
    <Panel title="Team">
      <Members client={client} />
      <Programs client={client} />
      <AuditLog client={client} />
    </Panel>
  );
}
