/** Shows what an install would do, before the user confirms it. */
import { formatBytes } from "../format.js";
import { Fact, Facts } from "../parts/facts.js";
import { Tag } from "../parts/tag.js";
import type { PlannedCapability, ShownPlan } from "./install-plan.js";
import "./plan-view.css";

export function PlanView({ plan }: { plan: ShownPlan }) {
  const { installed, version, quotaBytes, sizeBytes, notes } = plan;
  return (
    <>
      <Facts>
        <Fact name="Version">{version && versionText(version, installed?.version)}</Fact>
        <Fact name="Size">{formatBytes(sizeBytes)}</Fact>
        <Fact name="Memory">{quotaBytes !== undefined ? `up to ${formatBytes(quotaBytes)}` : undefined}</Fact>
      </Facts>
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
