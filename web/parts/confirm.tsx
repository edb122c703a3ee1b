/** Asks for confirmation of an action that is irreversible or slow. Cancel has the focus. */
import type { ComponentChildren } from "preact";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";

export interface ConfirmProps {
  /** A question: "Uninstall bricks?" */
  readonly title: string;
  /** The verb of the title: "Uninstall". */
  readonly action: string;
  readonly kind?: "primary" | "danger";
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  /** What happens. */
  readonly children: ComponentChildren;
}

export function Confirm({ title, action, kind = "danger", onConfirm, onCancel, children }: ConfirmProps) {
  const actions = (
    <>
      <Button onClick={onCancel} autoFocus>
        Cancel
      </Button>
      <Button kind={kind} onClick={onConfirm}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onCancel} actions={actions}>
      {children}
    </Dialog>
  );
}
