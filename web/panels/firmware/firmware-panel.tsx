/** The Firmware panel: the running version, an update from a file or the hub, and the result of the last update. */
import { useRef } from "preact/hooks";
import type { OtaStatus } from "../../../protocol/device/answers.js";
import { Tag } from "../../parts/facts.js";
import { useCardFocus } from "../../parts/kept-focus.js";
import { Note } from "../../parts/messages.js";
import { Card, Panel } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import { AvailableCard } from "./available-card.js";
import { firmwareUploadOf } from "./firmware-upload.js";
import { QuestionCard, useQuestions } from "./hub-questions.js";
import { ProgressCard } from "./progress-card.js";
import {
  describeResult,
  type StepState,
  stepStates,
  UPDATE_STEPS,
  type UpdatePhase,
  type UpdateStep,
} from "./update-steps.js";
import { UploadCard } from "./upload-card.js";
import "./firmware-panel.css";
import { Icon } from "../../parts/icon.js";

export function FirmwarePanel() {
  const ota = useSession().ota.value;
  return (
    <Panel title="Firmware">
      {ota ? (
        <Firmware ota={ota} />
      ) : (
        <p class="firmware-reading muted">Reading the state of the firmware …</p>
      )}
    </Panel>
  );
}

function Firmware({ ota }: { ota: OtaStatus }) {
  const session = useSession();
  const upload = firmwareUploadOf(session);
  const isSending = upload.run.transfer.value !== undefined;
  const phase = isSending ? "receiving" : ota.state;
  const questions = useQuestions();
  // A question about the firmware that is available offers the same, and to refuse it.
  const isAsked = questions.value?.some(({ kind }) => kind === "firmware");
  const cards = useRef<HTMLDivElement>(null);
  useCardFocus(cards);
  return (
    <div class="stack" ref={cards}>
      <RunningCard ota={ota} phase={phase} />
      {!isSending && <ProgressCard ota={ota} />}
      {questions.value?.map((question) => (
        <QuestionCard key={question.id} question={question} questions={questions} />
      ))}
      {ota.available && phase === "idle" && !isAsked && <AvailableCard available={ota.available} />}
      <UploadCard ota={ota} upload={upload} chosen={upload.chosen.value} />
    </div>
  );
}

function RunningCard({ ota, phase }: { ota: OtaStatus; phase: UpdatePhase }) {
  const state = useSession().state.value;
  const codename = "system" in state ? state.system.firmware.codename : "";
  const isOnTrial = ota.state === "pending_confirm";
  const tag = isOnTrial ? <Tag tone="warning">On trial</Tag> : <Tag tone="good">Confirmed</Tag>;
  return (
    <Card title="Running" toolbar={tag}>
      <p class="firmware-version">
        <span class="firmware-number">{ota.running_version}</span> {codename && <span>“{codename}”</span>}{" "}
        <span class="muted">in slot {ota.running_slot}</span>
      </p>
      {/* During an update, its steps replace the result of the last one. */}
      {phase === "idle" ? (
        <LastResultNote ota={ota} />
      ) : (
        <StepList label="Update" states={stepStates(phase)} />
      )}
    </Card>
  );
}

function LastResultNote({ ota }: { ota: OtaStatus }) {
  if (!ota.last_result) return <p class="small muted">No update has ended on this console yet.</p>;
  const { text, code, isGood } = describeResult(ota.last_result, ota.running_version);
  return (
    <Note tone={isGood ? "good" : "warning"}>
      Last update: {text} {code && <code class="muted">{code}</code>}
    </Note>
  );
}

const TITLES: Readonly<Record<UpdateStep, string>> = Object.freeze({
  received: "Received",
  staged: "Staged",
  trial: "Trial",
  confirmed: "Confirmed",
});

const IN_WORDS: Readonly<Record<StepState, string>> = Object.freeze({
  done: "done",
  current: "now",
  ahead: "still to come",
});

/** The steps of an update in a row. Each has a mark whose shape shows its state, not only its colour. */
function StepList({ label, states }: { label: string; states: readonly StepState[] }) {
  return (
    <ol class="steps" aria-label={label}>
      {UPDATE_STEPS.map((step, at) => {
        const state = states[at] ?? "ahead";
        return (
          <li key={step} class={`step step-${state}`} aria-current={state === "current" ? "step" : undefined}>
            <span class="step-mark" aria-hidden="true">
              {state === "done" && <Icon name="check" size={12} />}
            </span>
            <span>
              {TITLES[step]}
              <span class="unseen">, {IN_WORDS[state]}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
