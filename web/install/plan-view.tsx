/** Shows an app before an install: icon, sizes, capabilities, and changes from the installed version. */
import { formatBytes } from "../format.js";
import { Fact, Facts, Tag } from "../parts/facts.js";
import { capabilityInWords, type PlannedCapability, type ShownPlan } from "./install-plan.js";
import "./plan-view.css";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.js";

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

/** Lists an app's capabilities compactly, as the summaries of `CAPABILITIES`. */
export function CapabilityList({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <p class="small muted">Needs no capabilities.</p>;
  const words = names.map((name) => capabilityInWords(name).replace(/\.$/, ""));
  return (
    <ul class="capabilities" aria-label="What it may do" title={words.join(" · ")}>
      {words.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}

interface BitmapIconProps {
  /** A BMP; a generic icon stands in if it is missing or the browser cannot decode it. */
  readonly bitmap: Uint8Array | undefined;
  /** Side in CSS pixels; the bitmap has 32. */
  readonly size?: 32 | 48;
}

export function BitmapIcon({ bitmap, size = 48 }: BitmapIconProps) {
  const url = useObjectUrl(bitmap);
  const [broken, setBroken] = useState<string>();
  return (
    <span class="bitmap-icon" style={{ width: `${size}px`, height: `${size}px` }}>
      {url === undefined || url === broken ? (
        <Icon name="apps" size={24} />
      ) : (
        <img src={url} alt="" width={size} height={size} onError={() => setBroken(url)} />
      )}
    </span>
  );
}

function useObjectUrl(bitmap: Uint8Array | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!bitmap) return setUrl(undefined);
    const created = URL.createObjectURL(new Blob([bitmap as Uint8Array<ArrayBuffer>], { type: "image/bmp" }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bitmap]);
  return url;
}
