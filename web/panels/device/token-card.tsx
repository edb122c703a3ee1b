/** The token that the console requires over the network; shown and replaced only over the cable. */
import { useEffect, useState } from "preact/hooks";
import type { AccessTokenAnswer } from "../../../protocol/device/answers.js";
import { copyText } from "../../copy-and-save.js";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";
import { Field } from "../../parts/field.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import { CableNote, deviceByCable } from "./cable-note.js";

export function TokenCard({ features }: { readonly features: readonly string[] }) {
  const session = useSession();
  const device = deviceByCable(session);
  const isAsked = features.includes("auth");
  return (
    <Card title="Access token">
      <p>
        {isAsked
          ? "This console requires its token from every program on its network."
          : "This console accepts every program on its network: its firmware was built without token authentication."}
      </p>
      {device ? <Token /> : <CableNote what="The token is read and replaced" />}
    </Card>
  );
}

function Token() {
  const session = useSession();
  const device = deviceByCable(session);
  const [answer, setAnswer] = useState<AccessTokenAnswer>();
  const [isShown, setShown] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    device?.accessToken().then(setAnswer, () => undefined); // the link detects a lost console
  }, [device]);
  const token = answer?.token ?? "";
  const copy = async () => {
    if (await copyText(token)) session.notify({ kind: "done", text: "The token is on the clipboard" });
    else
      session.notify({
        kind: "failed",
        text: "Cannot copy the token",
        advice: "Show it, and copy it by hand.",
      });
  };
  const replace = async () => {
    setAsking(false);
    const replaced = await session.run("replace the token", (device) => device.replaceAccessToken());
    if (replaced === undefined) return;
    setAnswer(replaced);
    session.notify({ kind: "done", text: "The console has a new token" });
  };
  return (
    <>
      <Field
        label="Token"
        value={token}
        onInput={() => {}}
        type={isShown ? "text" : "password"}
        isReadOnly
        isCode
        beside={
          <Button pressed={isShown} label="Show token" onClick={() => setShown(!isShown)}>
            Show
          </Button>
        }
      />
      <div class="row">
        <Button onClick={() => void copy()}>Copy</Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Replace…
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title="Replace the token?"
          action="Replace"
          onConfirm={replace}
          onCancel={() => setAsking(false)}
        >
          <p>Programs and pages that have the old one are locked out until they are given the new one.</p>
        </Confirm>
      )}
    </>
  );
}
