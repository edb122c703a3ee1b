/** Claims a console for the account: the one on the cable with a click, any other with its claim code. */
import { useState } from "preact/hooks";
import type { DeviceRecord } from "../../../protocol/hub/answers/devices.js";
import { type UserError, userErrorOf } from "../../advice.js";
import { claimConsole, PAUSE_MS } from "../../hub/claim.js";
import { isThisComputer } from "../../hub/hub-address.js";
import type { HubClient } from "../../hub/hub-client.js";
import { Button } from "../../parts/button.js";
import { Field } from "../../parts/field.js";
import { ErrorNote } from "../../parts/messages.js";
import { useSession } from "../../session/session.js";

export interface ClaimFormProps {
  readonly client: HubClient;
  /** Consoles that are already in the account. */
  readonly devices: readonly DeviceRecord[];
  readonly onClaimed: () => Promise<void>;
}

export function ClaimForm({ client, devices, onClaimed }: ClaimFormProps) {
  const session = useSession();
  const device = session.device.value;
  const state = session.state.value;
  const isMine = "system" in state && devices.some(({ mac }) => mac === state.system.mac);
  const [code, setCode] = useState("");
  const [step, setStep] = useState<string>();
  const [error, setError] = useState<UserError>();
  const claim = async (work: () => Promise<DeviceRecord>) => {
    setError(undefined);
    setStep("Adding the console to your account …");
    try {
      const { name } = await work();
      session.notify({ kind: "done", text: `${name} is in your account` });
      setCode("");
      await onClaimed();
    } catch (cause) {
      setError(userErrorOf(cause));
    }
    setStep(undefined);
  };
  const isBusy = step !== undefined;
  return (
    <>
      {device?.transport.kind === "usb" && !isMine && (
        <div class="row">
          <Button
            kind="primary"
            busy={isBusy}
            onClick={() => claim(() => claimConsole({ device, client, onStep: setStep, pause }))}
          >
            Add the connected console
          </Button>
        </div>
      )}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void claim(() => client.claim(code.trim()));
        }}
      >
        <Field
          label="Claim code of a console"
          value={code}
          onInput={setCode}
          hint={<CodeHint address={client.address} />}
          autocomplete="off"
          isCode
          beside={
            <Button type="submit" busy={isBusy} disabled={code.trim() === ""}>
              Add
            </Button>
          }
        />
      </form>
      <p class="small muted" role="status">
        {step ?? ""}
      </p>
      {error && <ErrorNote error={error} />}
    </>
  );
}

function CodeHint({ address }: { address: string }) {
  return (
    <>
      A console shows its code on its own display, under Settings, Hub; and over its cable:{" "}
      <code>hub status</code> in its shell.
      {isThisComputer(address) && ` Only the simulated console finds the hub at ${address}.`}
    </>
  );
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
