/**
 * The Apps panel: installs apps from files, and lists the installed apps, running ones first, with a filter for long
 * lists.
 */
import { useRef, useState } from "preact/hooks";
import { readAppFile } from "../../../device-client/app-file.js";
import { type UserError, userErrorOf } from "../../advice.js";
import { signatureIn, sortChosenFiles } from "../../install/chosen-files.js";
import { FileDrop } from "../../install/file-drop.js";
import { InstallDialog, type InstallRequest } from "../../install/install-dialog.js";
import { Empty, ErrorNote } from "../../parts/messages.js";
import { Panel } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import "./apps-panel.css";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Field } from "../../parts/field.js";
import { useKeptFocus } from "../../parts/kept-focus.js";
import { AppCard } from "./app-card.js";
import { filteredApps, GLANCE_APPS, orderedApps } from "./app-entries.js";
import { useAppIcons } from "./app-icons.js";

export function AppsPanel() {
  const session = useSession();
  const state = session.state.value;
  const [request, setRequest] = useState<InstallRequest>();
  const [error, setError] = useState<UserError>();
  const limitBytes = "system" in state ? state.system.limits.app_bytes : 0;
  const take = async (files: readonly File[]) => {
    setError(undefined);
    await requestFor(files, limitBytes).then(setRequest, (cause: unknown) => setError(userErrorOf(cause)));
  };
  return (
    <Panel title="Apps">
      <FileDrop
        label="Install app…"
        hint="Choose or drop a package (.svcpkg) or module (.wasm), together with its signature (.sig)."
        accept=".svcpkg,.wasm,.aot,.sig"
        isMultiple
        disabled={!session.device.value}
        onFiles={take}
      />
      {error && <ErrorNote error={error} />}
      <AppList apps={session.apps.value} />
      {request && <InstallDialog request={request} onClose={() => setRequest(undefined)} />}
    </Panel>
  );
}

/** @throws {Fault} for a file that is not an app; {Error} for an invalid choice of files */
async function requestFor(files: readonly File[], limitBytes: number): Promise<InstallRequest> {
  const chosen = sortChosenFiles(files);
  if ("problem" in chosen) throw new Error(chosen.problem);
  const { app, signature, isForeign } = chosen;
  const file = await readAppFile(new Uint8Array(await app.arrayBuffer()), limitBytes);
  const digits = signature && (await signatureIn(signature));
  if (!signature || !digits || !isForeign) return { file, fileName: app.name, signature: digits };
  const foreign = { fileName: signature.name, signature: digits };
  return { file, fileName: app.name, signature: undefined, foreign };
}

function AppList({ apps }: { apps: readonly AppEntry[] | undefined }) {
  if (!apps) return <p class="app-list-reading muted">Reading the list of apps …</p>;
  return <Installed apps={apps} />;
}

function Installed({ apps }: { apps: readonly AppEntry[] }) {
  const [text, setText] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const icons = useAppIcons(apps);
  // A filter in use keeps its field, even when few apps are left.
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
          <Empty icon="apps" title="No installed app matches" />
        ) : (
          <ul class="app-list" aria-label="Installed apps">
            {shown.map((app) => (
              <AppCard key={app.name} app={app} icon={icons.get(app.name)} />
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
