/** Joins a network: asks for its password, and for the name of a hidden one. Shows an error at the invalid field. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type DeviceError, isDeviceError } from "../../../device-client/device-error.js";
import type { WifiStatus } from "../../../protocol/device/answers.js";
import { Button } from "../../parts/button.js";
import { Dialog } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { useSession } from "../../session/session.js";

interface JoinProps {
  /** `""` asks the user for the name. */
  readonly ssid: string;
  readonly isSecured: boolean;
  readonly onClose: () => void;
  readonly onJoined: (wifi: WifiStatus) => void;
}

export function JoinDialog({ ssid, isSecured, onClose, onJoined }: JoinProps) {
  const session = useSession();
  const [name, setName] = useState(ssid);
  const [password, setPassword] = useState("");
  const [isShown, setShown] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<DeviceError>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLInputElement>("[aria-invalid]")?.focus(), [refusal]);
  const formId = "join-network";
  const join = async () => {
    setBusy(true);
    setRefusal(undefined);
    const wifi = await session.run(`join ${name}`, (device) =>
      device.joinWifi(name, password || undefined).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        setRefusal(error);
        return undefined;
      }),
    );
    setBusy(false);
    if (wifi === undefined) return;
    onJoined(wifi);
    onClose();
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form={formId} busy={isBusy}>
        Join
      </Button>
    </>
  );
  return (
    <Dialog
      title={ssid === "" ? "Join a hidden network" : `Join ${ssid}`}
      onClose={onClose}
      actions={actions}
    >
      <form
        ref={form}
        id={formId}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void join();
        }}
      >
        {ssid === "" && (
          <Field
            label="Name"
            value={name}
            onInput={setName}
            error={isOfName(refusal) ? refusal?.message : undefined}
            required
            autoFocus
            isCode
          />
        )}
        {isSecured ? (
          <Field
            label="Password"
            value={password}
            onInput={setPassword}
            type={isShown ? "text" : "password"}
            autocomplete="off"
            isCode
            required={ssid !== ""}
            autoFocus={ssid !== ""}
            error={isOfName(refusal) ? undefined : refusal?.message}
            hint={ssid === "" ? "Leave it empty for an open network." : "8 to 63 characters"}
            beside={
              <Button pressed={isShown} label="Show password" onClick={() => setShown(!isShown)}>
                Show
              </Button>
            }
          />
        ) : (
          <p>This network is open: what the console sends over it can be read by everybody near.</p>
        )}
      </form>
    </Dialog>
  );
}

/** Whether the console rejects the name or the password as invalid for any network. */
function isRefusal(error: unknown): error is DeviceError {
  return isDeviceError(error) && error.code === "bad_parameter";
}

/** Whether the name is invalid, rather than the password: only the console's message says which. */
function isOfName(refusal: DeviceError | undefined): boolean {
  return refusal?.message.includes('"ssid"') ?? false;
}
