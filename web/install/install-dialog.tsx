/**
 * Confirmation before an install: shows the file, its capabilities, and the app that it replaces. Sends nothing before
 * the user confirms, and then shows the progress. Closing the dialog cancels the upload, unless all bytes are sent:
 * then a notice reports the result.
 */
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { AppFile } from "../../device-client/app-file.js";
import type { SystemInfo } from "../../protocol/device/answers.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { ErrorNote } from "../parts/messages.js";
import { type Session, useSession } from "../session/session.js";
import { asksForName, type InstallPlan, planInstall, suggestedName } from "./install-plan.js";
import { BitmapIcon, PlanView } from "./plan-view.js";
import { ForeignSignature, SignatureField } from "./signature-field.js";
import { UploadProgress } from "./upload-progress.js";
import { hasAllLeft, UploadRun } from "./upload-run.js";

export interface InstallRequest {
  readonly file: AppFile;
  readonly fileName: string;
  /** 128 hexadecimal digits; if `undefined`, the dialog asks for them. */
  readonly signature: string | undefined;
  /** A signature whose file name does not match the app's; the dialog asks whether to use it. */
  readonly foreign?: { readonly fileName: string; readonly signature: string } | undefined;
}

interface InstallProps {
  readonly request: InstallRequest;
  readonly onClose: () => void;
}

export function InstallDialog(props: InstallProps) {
  const state = useSession().state.value;
  // A state without `system` is neither connected nor reconnecting.
  return "system" in state ? <Question {...props} system={state.system} /> : null;
}

function Question({ request, onClose, system }: InstallProps & { readonly system: SystemInfo }) {
  const { file, fileName } = request;
  const session = useSession();
  const run = useRun(session);
  const [name, setName] = useState(() => suggestedName(fileName));
  const [entered, setEntered] = useState(request.signature);
  const [usesForeign, setUsesForeign] = useState(false);
  const signature = usesForeign ? request.foreign?.signature : entered;
  const plan = planInstall(file, name, { apps: session.apps.value ?? [], system });
  const transfer = run.transfer.value;
  const allowsUnsigned = system.features.includes("unsigned_apps");
  const install = async () => {
    const hasInstalled = await sendApp(run, plan, { ...request, signature });
    if (!hasInstalled) return;
    session.notify({ kind: "done", text: doneText(plan) });
    if (run.isShown) onClose(); // if this dialog is closed, another one may be open by now
  };
  const isReady = plan.obstacle === undefined && (signature !== undefined || allowsUnsigned);
  const actions = (
    <>
      <Button onClick={onClose}>{hasAllLeft(transfer) ? "Close" : "Cancel"}</Button>
      <Button
        kind="primary"
        busy={transfer !== undefined}
        disabled={!isReady || !session.device.value}
        onClick={install}
      >
        {goAheadText(plan, transfer !== undefined)}
      </Button>
    </>
  );
  return (
    <Dialog title={titleOf(plan)} onClose={onClose} actions={actions}>
      <div class="plan-head">
        <BitmapIcon bitmap={file.kind === "package" ? file.icon : undefined} />
        <PlanHead plan={plan} />
      </div>
      <PlanView plan={plan} />
      {asksForName(file) && (
        <Field
          label="Name of the app"
          value={name}
          onInput={setName}
          error={plan.obstacle}
          hint={
            file.kind === "variant"
              ? "The installed app that this machine code is for."
              : "The file contains no name."
          }
          isCode
          disabled={transfer !== undefined}
        />
      )}
      {request.foreign && !transfer && (
        <ForeignSignature
          fileName={fileName}
          signatureName={request.foreign.fileName}
          isUsed={usesForeign}
          onUse={setUsesForeign}
        />
      )}
      {request.signature === undefined && !usesForeign && !transfer && (
        <SignatureField fileName={fileName} isOptional={allowsUnsigned} onSignature={setEntered} />
      )}
      {transfer && (
        <UploadProgress label={`Sending ${fileName}`} transfer={transfer} after="checks and installs it" />
      )}
      {run.error.value && <ErrorNote error={run.error.value} />}
    </Dialog>
  );
}

/** An upload that is cancelled when the dialog goes away, for example after the browser's Back. */
function useRun(session: Session): UploadRun {
  const run = useMemo(() => new UploadRun(session), [session]);
  useLayoutEffect(() => {
    const hide = run.show();
    return () => {
      hide();
      run.cancel();
    };
  }, [run]);
  return run;
}

function PlanHead({ plan }: { plan: InstallPlan }) {
  return (
    <div>
      <p>{plan.description || <span class="muted">It does not describe itself.</span>}</p>
      {plan.author && <p class="small muted">by {plan.author}</p>}
    </div>
  );
}

/** @returns whether the app is installed; if not, `run` reports why */
async function sendApp(run: UploadRun, plan: InstallPlan, request: InstallRequest): Promise<boolean> {
  const { file, signature } = request;
  const entry = await run.start(`install ${plan.name}`, file.bytes.length, (device, options) =>
    device.install({
      file: file.bytes,
      ...(signature !== undefined && { signature }),
      ...(asksForName(file) && { name: plan.name }),
      isDowngrade: plan.isDowngrade,
      ...options,
    }),
  );
  return entry !== undefined;
}

function goAheadText({ installed }: InstallPlan, isBusy: boolean): string {
  if (installed) return isBusy ? "Replacing…" : "Replace";
  return isBusy ? "Installing…" : "Install";
}

function titleOf({ name, version, installed }: InstallPlan): string {
  if (version === undefined) return `Add machine code to ${name}?`;
  return installed ? `Replace ${name}?` : `Install ${name} ${version}?`;
}

function doneText({ name, version }: InstallPlan): string {
  return version === undefined ? `Machine code was added to ${name}` : `${name} ${version} is installed`;
}
