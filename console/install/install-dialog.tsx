/**
 * The question before every install: what comes, what it may do, what it replaces. Nothing is sent before it is agreed to;
 * then the same dialog shows how far it is.
 */
import { useMemo, useState } from "preact/hooks";
import type { AppFile } from "../../device-client/app-file.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import type { Session } from "../session/session.js";
import { useSession } from "../session/use-session.js";
import { BitmapIcon } from "./bitmap-icon.js";
import { ErrorNote } from "./error-note.js";
import { ForeignSignature } from "./foreign-signature.js";
import { asksForName, type InstallPlan, planInstall, suggestedName } from "./install-plan.js";
import { PlanView } from "./plan-view.js";
import { SignatureField } from "./signature-field.js";
import { UploadProgress } from "./upload-progress.js";
import { UploadRun } from "./upload-run.js";

export interface InstallRequest {
  readonly file: AppFile;
  readonly fileName: string;
  /** 128 hexadecimal digits; where they are missing, the dialog asks for them. */
  readonly signature: string | undefined;
  /** One whose file is named for another; the dialog asks whether it is meant. */
  readonly foreign?: { readonly fileName: string; readonly signature: string } | undefined;
}

export function InstallDialog({ request, onClose }: { request: InstallRequest; onClose: () => void }) {
  const { file, fileName } = request;
  const session = useSession();
  const run = useMemo(() => new UploadRun(session), [session]);
  const [name, setName] = useState(() => suggestedName(fileName));
  const [entered, setEntered] = useState(request.signature);
  const [usesForeign, setUsesForeign] = useState(false);
  const signature = usesForeign ? request.foreign?.signature : entered;
  const plan = planFor(session, file, name);
  const transfer = run.transfer.value;
  if (!plan) return null; // the console was disconnected for good
  const install = async () => {
    const hasInstalled = await sendApp(run, plan, { ...request, signature });
    if (!hasInstalled) return;
    session.notify({ kind: "done", text: doneText(plan) });
    onClose();
  };
  const close = () => {
    run.cancel();
    onClose();
  };
  const isReady = plan.obstacle === undefined && (signature !== undefined || allowsUnsigned(session));
  const actions = (
    <>
      <Button onClick={close}>Cancel</Button>
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
    <Dialog title={titleOf(plan)} onClose={close} actions={actions}>
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
              : "The file has none in it."
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
        <SignatureField fileName={fileName} isOptional={allowsUnsigned(session)} onSignature={setEntered} />
      )}
      {transfer && (
        <UploadProgress label={`Sending ${fileName}`} transfer={transfer} after="checks and installs it" />
      )}
      {run.error.value && <ErrorNote error={run.error.value} />}
    </Dialog>
  );
}

function PlanHead({ plan }: { plan: InstallPlan }) {
  return (
    <div>
      <p>{plan.description || <span class="muted">It does not describe itself.</span>}</p>
      {plan.author && <p class="small muted">by {plan.author}</p>}
    </div>
  );
}

function planFor(session: Session, file: AppFile, name: string): InstallPlan | undefined {
  const state = session.state.value;
  if (!("system" in state)) return undefined;
  return planInstall(file, name, { apps: session.apps.value ?? [], system: state.system });
}

function allowsUnsigned(session: Session): boolean {
  const state = session.state.value;
  return "system" in state && state.system.features.includes("unsigned_apps");
}

/** @returns whether it is installed; `run` tells why not */
async function sendApp(run: UploadRun, plan: InstallPlan, request: InstallRequest): Promise<boolean> {
  const { file, signature } = request;
  const entry = await run.start(`install ${plan.name}`, file.bytes.length, (device, options) =>
    device.install({
      file: file.bytes,
      ...(signature !== undefined && { signature }),
      ...(asksForName(file) && { name: plan.name }),
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
