/** Installs through this page: downloads the package, checks it, and uploads it to the connected console; then starts it. */
import { useRef, useState } from "preact/hooks";
import { readAppFile } from "../../../device-client/app-file.js";
import type { AppEntry } from "../../../protocol/device/answers.js";
import type { AppRecord, CatalogVersion } from "../../../protocol/hub/answers/catalog.js";
import { isSameApp } from "../../../protocol/manifest/app-name.js";
import { type UserError, userErrorOf } from "../../advice.js";
import { formatBytes } from "../../format.js";
import type { HubClient } from "../../hub/hub-client.js";
import { InstallDialog, type InstallRequest } from "../../install/install-dialog.js";
import { Button } from "../../parts/button.js";
import { ErrorNote } from "../../parts/messages.js";
import { ProgressBar } from "../../parts/meter.js";
import { Card } from "../../parts/panel.js";
import { type Session, useSession } from "../../session/session.js";

export interface EntryProps {
  readonly entry: AppRecord;
  readonly version: CatalogVersion;
  readonly client: HubClient;
}

export function HereCard({ entry, version, client }: EntryProps) {
  const session = useSession();
  const { request, received, error, download, cancel, done } = useDownload({ entry, version, client });
  const installed = session.apps.value?.find(({ name }) => isSameApp(name, entry.id));
  const device = session.device.value;
  const sizeBytes = version.size_bytes;
  return (
    <Card title="On the connected console">
      <p>
        {device
          ? `${consoleName(session)} ${stateInWords(installed)}. The package goes through this page.`
          : "No console is connected to this page."}
      </p>
      {received !== undefined && (
        <ProgressBar
          label="Downloading"
          value={received / sizeBytes}
          detail={`${formatBytes(received)} of ${formatBytes(sizeBytes)}`}
        />
      )}
      <div class="row">
        {received !== undefined ? (
          <Button onClick={cancel}>Cancel</Button>
        ) : device ? (
          <Button
            kind={installed ? "plain" : "primary"}
            label={`Install ${entry.name} here`}
            onClick={() => download(appLimit(session))}
          >
            Install…
          </Button>
        ) : (
          <a href={`#connect/store/${entry.id}`}>Connect a console</a>
        )}
        {device && installed && <StartOrStop app={installed} title={entry.name} />}
      </div>
      {error && <ErrorNote error={error} />}
      {request && <InstallDialog request={request} onClose={done} />}
    </Card>
  );
}

function StartOrStop({ app: { name, state }, title }: { app: AppEntry; title: string }) {
  const session = useSession();
  const [busy, setBusy] = useState(false);
  const isRunning = state === "running";
  const change = async () => {
    setBusy(true);
    await (isRunning
      ? session.run(`stop ${name}`, (device) => device.stop(name))
      : session.run(`start ${name}`, (device) => device.start(name)));
    setBusy(false);
  };
  const verb = isRunning ? "Stop" : "Start";
  return (
    <Button
      kind={isRunning ? "plain" : "primary"}
      label={`${verb} ${title} here`}
      busy={busy}
      onClick={change}
    >
      {verb}
    </Button>
  );
}

function stateInWords(installed: AppEntry | undefined): string {
  if (!installed) return "does not have it";
  return `has ${installed.version}${installed.state === "running" ? ", which is running" : ""}`;
}

function useDownload({ entry, version: { version }, client }: EntryProps) {
  const [received, setReceived] = useState<number>();
  const [request, setRequest] = useState<InstallRequest>();
  const [error, setError] = useState<UserError>();
  const abort = useRef<AbortController | null>(null);
  const download = async (limitBytes: number) => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    setError(undefined);
    setReceived(0);
    try {
      const { bytes, signature } = await client.download(entry.id, {
        version,
        signal,
        onProgress: setReceived,
      });
      const file = await readAppFile(bytes, limitBytes);
      setRequest({ file, fileName: `${entry.id}-${version}.svcpkg`, signature });
    } catch (cause) {
      if (!signal.aborted) setError(userErrorOf(cause));
    }
    setReceived(undefined);
  };
  return {
    received,
    request,
    error,
    download,
    cancel: () => abort.current?.abort(),
    done: () => setRequest(undefined),
  };
}

function consoleName(session: Session): string {
  const state = session.state.value;
  return "system" in state ? state.system.name : "The console";
}

function appLimit(session: Session): number {
  const state = session.state.peek();
  return "system" in state ? state.system.limits.app_bytes : 0;
}
