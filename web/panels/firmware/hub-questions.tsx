/** What the hub has ordered and the console's user has to decide (docs/spec/device-hub.md#questions), a card each. */
import { useState } from "preact/hooks";
import type { Device } from "../../../device-client/device.js";
import { isDeviceError } from "../../../device-client/device-error.js";
import type { HubQuestion, HubQuestions } from "../../../protocol/device/answers.js";
import { formatBytes } from "../../format.js";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";
import { Fact, Facts } from "../../parts/facts.js";
import { Card } from "../../parts/panel.js";
import { type Polled, usePolled } from "../../session/polled.js";
import { useSession } from "../../session/session.js";
import { describeQuestion } from "./question-words.js";

/** Poll interval: the console sends no event when a question comes, or is answered elsewhere. */
const PERIOD_MS = 3000;

type Questions = Polled<readonly HubQuestion[]>;

const askQuestions = async (device: Device) => ofHub(await device.hubQuestions());

/** Those about a key are answered on the console itself (docs/spec/keys.md#owner-key-asked). */
function ofHub({ questions }: HubQuestions): readonly HubQuestion[] {
  return questions.filter(({ kind }) => kind !== "add_key" && kind !== "remove_key");
}

/** The questions of the connected console. */
export function useQuestions(): Questions {
  return usePolled(useSession().device.value, askQuestions, PERIOD_MS);
}

interface QuestionCardProps {
  readonly question: HubQuestion;
  readonly questions: Questions;
}

export function QuestionCard({ question, questions }: QuestionCardProps) {
  const session = useSession();
  const { id, size_bytes, publisher } = question;
  const { subject, title, action } = describeQuestion(question);
  const [busy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const isRemoval = action === "Uninstall";
  const answer = async (isAccepted: boolean) => {
    setAsking(false);
    setBusy(true);
    const verb = isAccepted ? action.toLowerCase() : `refuse to ${action.toLowerCase()}`;
    const done = await session.run(`${verb} ${subject}`, (device) => send(device, id, isAccepted));
    setBusy(false);
    if (done?.left) {
      questions.set(done.left);
      const what = isAccepted ? `The console ${action.toLowerCase()}s ${subject}` : `Refused: ${subject}`;
      session.notify({ kind: "told", text: what });
    } else if (done) {
      session.notify({ kind: "told", text: `The order for ${subject} no longer waits for an answer` });
      void questions.read();
    }
  };
  return (
    <Card title={title}>
      <p>
        {isRemoval
          ? "The app is removed with everything that it has stored, if you agree."
          : "Size and publisher are what the hub says; the console checks the file itself."}
      </p>
      {!isRemoval && (
        <Facts>
          <Fact name="Size">{size_bytes === undefined ? undefined : formatBytes(size_bytes)}</Fact>
          <Fact name="Publisher">{publisher}</Fact>
        </Facts>
      )}
      <div class="row">
        <Button
          kind={isRemoval ? "danger" : "primary"}
          label={`${action} ${subject}`}
          busy={busy}
          onClick={() => (isRemoval ? setAsking(true) : void answer(true))}
        >
          {action}
        </Button>
        <Button label={`Refuse ${subject}`} busy={busy} onClick={() => void answer(false)}>
          Refuse
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={`Uninstall ${subject}?`}
          action="Uninstall"
          onCancel={() => setAsking(false)}
          onConfirm={() => void answer(true)}
        >
          <p>It is removed with everything that it has stored.</p>
        </Confirm>
      )}
    </Card>
  );
}

/** @returns what is left to answer; `left` is absent if the question was answered elsewhere, or is overtaken */
async function send(
  device: Device,
  id: string,
  isAccepted: boolean,
): Promise<{ readonly left?: readonly HubQuestion[] }> {
  try {
    return { left: ofHub(await device.answerHub(id, isAccepted)) };
  } catch (error) {
    if (isDeviceError(error) && error.code === "command_not_found") return {};
    throw error;
  }
}
