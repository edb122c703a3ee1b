/** Restarts the console, once that is confirmed. */
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/confirm.js";
import { useSession } from "../../session/use-session.js";

export function RestartButton({ name }: { readonly name: string }) {
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const isOnTrial = session.ota.value?.state === "pending_confirm";
  const restart = () => {
    setAsking(false);
    void session.run(`restart ${name}`, async (device) => {
      await device.reboot();
      session.notify({ kind: "done", text: `${name} restarts` });
    });
  };
  return (
    <>
      <Button disabled={session.device.value === undefined} onClick={() => setAsking(true)}>
        Restart…
      </Button>
      {isAsking && (
        <Confirm
          title={`Restart ${name}?`}
          action="Restart"
          kind="primary"
          onConfirm={restart}
          onCancel={() => setAsking(false)}
        >
          <p>Running apps end and are not started again. The page waits until the console is back.</p>
          {isOnTrial && (
            <p>Its firmware is on trial: without “Confirm” on the Firmware panel, the old one comes back.</p>
          )}
        </Confirm>
      )}
    </>
  );
}
