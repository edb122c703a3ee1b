/** A button for what cannot be undone, which asks before it does it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Confirm } from "../parts/dialog.js";

interface ConfirmedButtonProps {
  /** The verb: "Remove". */
  readonly action: string;
  /** Accessible name: "Remove Ada". */
  readonly label: string;
  /** "Remove Ada?" */
  readonly question: string;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  /** Explains the effect. */
  readonly children: ComponentChildren;
}

export function ConfirmedButton(props: ConfirmedButtonProps) {
  const { action, label, question, isBusy = false, onConfirm, children } = props;
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button kind="danger" label={label} busy={isBusy} onClick={() => setAsking(true)}>
        {action}
      </Button>
      {isAsking && (
        <Confirm
          title={question}
          action={action}
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            onConfirm();
          }}
        >
          <p>{children}</p>
        </Confirm>
      )}
    </>
  );
}
