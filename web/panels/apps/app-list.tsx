/** The list of installed apps: running ones first, and a filter where there are many. */
import { useRef, useState } from "preact/hooks";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Empty } from "../../parts/empty.js";
import { Field } from "../../parts/field.js";
import { AppCard } from "./app-card.js";
import { filteredApps, GLANCE_APPS, orderedApps } from "./app-order.js";
import { useKeptFocus } from "./use-kept-focus.js";

export function AppList({ apps }: { apps: readonly AppEntry[] | undefined }) {
  if (!apps) return <p class="app-list-reading muted">Reading the list of apps …</p>;
  return <Installed apps={apps} />;
}

function Installed({ apps }: { apps: readonly AppEntry[] }) {
  const [text, setText] = useState("");
  const list = useRef<HTMLDivElement>(null);
  // A filter in use keeps its field, even if few apps are left meanwhile.
  const hasFilter = apps.length > GLANCE_APPS || text !== "";
  const shown = hasFilter ? filteredApps(orderedApps(apps), text) : orderedApps(apps);
  useKeptFocus(
    list,
    shown.map(({ name }) => name),
    () => list.current?.closest("section")?.querySelector<HTMLElement>("h2[tabindex]"),
  );
  return (
    <div class="stack">
      {hasFilter && <Filter text={text} onText={setText} shown={shown.length} total={apps.length} />}
      <div ref={list}>
        {apps.length === 0 ? (
          <NoApps />
        ) : shown.length === 0 ? (
          <Empty icon="apps" title="No installed app has these words" />
        ) : (
          <ul class="app-list" aria-label="Installed apps">
            {shown.map((app) => (
              <AppCard key={app.name} app={app} />
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

interface FilterProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly shown: number;
  readonly total: number;
}

function Filter({ text, onText, shown, total }: FilterProps) {
  return (
    <search class="app-filter">
      <Field
        label="Find an installed app"
        type="search"
        value={text}
        onInput={onText}
        placeholder="Name, description, author"
        autocomplete="off"
      />
      <p class="small muted" role="status">
        {text === "" ? `${total} apps` : `${shown} of ${total} apps`}
      </p>
    </search>
  );
}

function NoApps() {
  return (
    <Empty icon="apps" title="No app is installed">
      <p>
        Install one from the <a href="#store">store</a> or from a file.
      </p>
    </Empty>
  );
}
