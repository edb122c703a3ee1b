/** The audit log of an account, newest first, page by page. */
import { useCallback } from "preact/hooks";
import type { AuditEntry } from "../../protocol/hub/answers/team.js";
import { Button } from "../parts/button.js";
import { Tag } from "../parts/facts.js";
import { ErrorNote } from "../parts/messages.js";
import { Card } from "../parts/panel.js";
import type { PageProps } from "./fleet-app.js";
import { timeText } from "./times.js";
import { usePages } from "./use-pages.js";

export function AuditLog({ client: { team } }: Pick<PageProps, "client">) {
  const log = usePages(
    useCallback(
      async (after?: string) => {
        const { entries, next } = await team.audit(after);
        return { entries, next };
      },
      [team],
    ),
  );
  return (
    <Card
      title="Audit log"
      toolbar={
        <Button busy={log.isLoading} label="Refresh the audit log" onClick={() => void log.reload()}>
          Refresh
        </Button>
      }
    >
      {log.error && <ErrorNote error={log.error} />}
      {log.entries?.length === 0 && <p class="muted">Nothing was done yet.</p>}
      <ol class="stack" aria-label="Audit log">
        {log.entries?.map((entry, index) => (
          <Entry key={`${entry.at} ${index}`} entry={entry} />
        ))}
      </ol>
      {log.hasMore && (
        <div class="row">
          <Button busy={log.isLoading} onClick={() => void log.readOn()}>
            Show earlier
          </Button>
        </div>
      )}
    </Card>
  );
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, actor_name, via, address, status } = entry;
  return (
    <li>
      <span class="muted">{timeText(at)}</span> {actor_name ?? actor}
      {via !== undefined && <span class="muted"> (signed in)</span>}: <code>{actionText(entry)}</code>
      {address !== "" && ` from ${address}`}{" "}
      <Tag tone={status < 400 ? "good" : "bad"}>
        {status < 400 ? `done, ${status}` : `refused, ${status}`}
      </Tag>
    </li>
  );
}

/** `DELETE /devices/4f…/apps/chess` */
function actionText({ action, names }: AuditEntry): string {
  return action.replace(/\{([a-z_]+)\}/g, (whole, name) =>
    Object.hasOwn(names, name) ? `${names[name]}` : whole,
  );
}
