/** The apps of the console: what they are, what they may do, and how they ended; and new ones from files. */
import { useState } from "preact/hooks";
import { readAppFile } from "../../../device-client/app-file.js";
import { signatureIn, sortChosenFiles } from "../../install/chosen-files.js";
import { ErrorNote } from "../../install/error-note.js";
import { FileDrop } from "../../install/file-drop.js";
import { InstallDialog, type InstallRequest } from "../../install/install-dialog.js";
import { type UserError, userErrorOf } from "../../install/user-error.js";
import { Panel } from "../../parts/panel.js";
import { useSession } from "../../session/use-session.js";
import { AppList } from "./app-list.js";
import "./apps-panel.css";

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

/** @throws {Fault} for what is no app; {Error} for a choice that cannot be meant */
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
