/** What an install would do, for whoever agrees to it. */
import { formatBytes } from "../format.js";
import { Tag } from "../parts/tag.js";
import type { InstallPlan, PlannedCapability } from "./install-plan.js";
import "./plan-view.css";

export function PlanView({ plan }: { plan: InstallPlan }) {
  const { installed, version, quotaBytes, sizeBytes, notes } = plan;
  return (
    <>
      <dl class="facts">
        {version !== undefined && (
          <div>
            <dt>Version</dt>
            <dd>{versionText(version, installed?.version)}</dd>
          </div>
        )}
        <div>
          <dt>Size</dt>
          <dd>{formatBytes(sizeBytes)}</dd>
        </div>
        {quotaBytes !== undefined && (
          <div>
            <dt>Memory</dt>
            <dd>up to {formatBytes(quotaBytes)}</dd>
          </div>
        )}
      </dl>
      {version !== undefined && <Permissions capabilities={plan.capabilities} />}
      {notes.length > 0 && (
        <ul class="plan-notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function versionText(version: string, installed: string | undefined): string {
  if (installed === undefined) return version;
  return installed === version ? `${version}, as installed` : `${installed} → ${version}`;
}

function Permissions({ capabilities }: { capabilities: readonly PlannedCapability[] }) {
  if (capabilities.length === 0) return <p>It asks for nothing beyond the processor and its memory.</p>;
  return (
    <div>
      <h3>It will be able to</h3>
      <ul class="permissions">
        {capabilities.map(({ name, summary, isNew }) => (
          <li key={name}>
            <span>{summary}</span> <code class="muted">{name}</code> {isNew && <Tag tone="warning">New</Tag>}
          </li>
        ))}
      </ul>
    </div>
  );
}
