/**
 * Notices of errors and successes, in a corner of the page; screen readers read each as it appears. While a dialog is
 * open, they appear in the dialog, above its buttons, since the rest of the page is inert.
 */
import { type Notice, type Session, SessionContext } from "../session/session.js";
import { Icon } from "./icon.js";
import "./notices.css";
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { useContext } from "preact/hooks";

const ICONS = Object.freeze({ done: "check", told: "dot", failed: "warning" } as const);

interface NoticesProps {
  /** The dialog that contains the notices; left out for those of the page. */
  readonly dialog?: symbol;
}

/** Nothing on pages without a console: they have no notices. */
export function Notices(props: NoticesProps) {
  const session = useContext(SessionContext);
  return session && <NoticesOf {...props} session={session} />;
}

function NoticesOf({ dialog, session: { notices, dismiss } }: NoticesProps & { readonly session: Session }) {
  const shown = frontDialog.value === dialog ? notices.value : [];
  // The region exists before its first notice; otherwise screen readers would not announce that notice.
  return (
    <div class="notices" role="status" aria-label="Notices" aria-live="polite" aria-relevant="additions">
      {shown.map((notice) => (
        <Message key={notice.id} notice={notice} onDismiss={() => dismiss(notice.id)} />
      ))}
    </div>
  );
}

function Message({ notice, onDismiss }: { notice: Notice; onDismiss: () => void }) {
  return (
    <div class={`notice notice-${notice.kind}`}>
      <Icon name={ICONS[notice.kind]} />
      <div>
        <p class="notice-text">{notice.text}</p>
        {notice.advice && <p class="small">{notice.advice}</p>}
      </div>
      <button type="button" class="notice-close" aria-label="Dismiss" onClick={onDismiss}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Open dialogs, in the order in which they were opened. */
const open = signal<readonly symbol[]>([]);

const frontDialog: ReadonlySignal<symbol | undefined> = computed(() => open.value.at(-1));

/** @returns a function that removes the dialog */
export function putInFront(dialog: symbol): () => void {
  open.value = [...open.peek(), dialog];
  return () => {
    open.value = open.peek().filter((each) => each !== dialog);
  };
}
