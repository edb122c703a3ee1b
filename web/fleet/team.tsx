/** The page of the team, for owners: members, programs, what was done with their tokens, and the account's data as a whole. */
import { Card, Panel } from "../parts/panel.js";
import { AccountEnd } from "./account-end.js";
import { AccountExport } from "./account-export.js";
import { AuditLog } from "./audit-log.js";
import type { PageProps } from "./fleet-app.js";
import { Members } from "./members.js";
import { Programs } from "./programs.js";

export function Team({ client, scopes, accountId, onEnded }: PageProps) {
  if (!scopes.includes("account")) return <p>Your token may not manage the team.</p>;
  return (
    <Panel title="Team">
      <Members client={client} />
      <Programs client={client} />
      <AuditLog client={client} />
      <Card title="The account’s data">
        <AccountExport client={client} />
        <AccountEnd client={client} accountId={accountId} onEnded={onEnded} />
      </Card>
    </Panel>
  );
}
