/** One app of the catalogue: its description, its versions, and the ways to install it. */
import { useCallback, useEffect, useId, useRef, useState } from "preact/hooks";
import type { AppRecord } from "../../../protocol/hub/answers/catalog.js";
import { formatBytes } from "../../format.js";
import type { HubClient } from "../../hub/hub-client.js";
import { useLoaded } from "../../hub/use-loaded.js";
import { CapabilityList } from "../../install/plan-view.js";
import { Button } from "../../parts/button.js";
import { ErrorNote } from "../../parts/messages.js";
import { HereCard } from "./here-card.js";
import { HubIcon } from "./hub-icon.js";
import { PlayCard } from "./play-card.js";
import { PushCard } from "./push-card.js";

export function EntryView({ id, client, onBack }: { id: string; client: HubClient; onBack: () => void }) {
  const { value, error, reload } = useLoaded(useCallback(() => client.entry(id), [client, id]));
  return (
    <>
      <div class="row">
        <Button onClick={onBack}>← All apps</Button>
      </div>
      {error && (
        <ErrorNote error={error}>
          {error.code !== "app_retracted" && <Button onClick={reload}>Try again</Button>}
        </ErrorNote>
      )}
      {value ? (
        <Entry entry={value} client={client} />
      ) : (
        <p class="store-reading muted">{!error && `Reading ${id} …`}</p>
      )}
    </>
  );
}

function Entry({ entry, client }: { entry: AppRecord; client: HubClient }) {
  const [chosen, setChosen] = useState(entry.version);
  const version = entry.versions.find((each) => each.version === chosen) ?? entry.versions[0];
  return (
    <>
      <div class="card stack">
        <EntryHead entry={entry} client={client} />
        <VersionChoice entry={entry} version={version.version} onVersion={setChosen} />
        <CapabilityList names={version.capabilities} />
      </div>
      <div class="columns">
        <HereCard entry={entry} version={version} client={client} />
        {client.isSignedIn && <PushCard entry={entry} version={version} client={client} />}
        <PlayCard entry={entry} version={version} client={client} />
      </div>
    </>
  );
}

function EntryHead({ entry, client }: { entry: AppRecord; client: HubClient }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []); // focus the opened entry, not the top of the page
  const { name, description, author, downloads } = entry;
  return (
    <>
      <div class="store-head">
        <HubIcon client={client} entry={entry} />
        <div>
          <h3 ref={heading} tabIndex={-1}>
            {name}
          </h3>
          <p class="small muted">
            {author && `by ${author}, `}
            {downloads === 1 ? "1 download" : `${downloads} downloads`}
          </p>
        </div>
      </div>
      {description && <p>{description}</p>}
    </>
  );
}

interface VersionChoiceProps {
  readonly entry: AppRecord;
  readonly version: string;
  readonly onVersion: (version: string) => void;
}

function VersionChoice({ entry: { versions }, version, onVersion }: VersionChoiceProps) {
  const id = useId();
  return (
    <div class="field store-version">
      <label for={id}>Version</label>
      <select
        id={id}
        class="input"
        value={version}
        onChange={({ currentTarget }) => onVersion(currentTarget.value)}
      >
        {versions.map((each) => (
          <option key={each.version} value={each.version}>
            {each.version} — {formatBytes(each.size_bytes)}, {dayOf(each.published_at)}
          </option>
        ))}
      </select>
    </div>
  );
}

function dayOf(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" });
}
