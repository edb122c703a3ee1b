/**
 * Sign-in by OpenID Connect (docs/spec/hub-api.md#sign-in): the button that leads to the server, and the place to which the hub
 * sends the browser back, where the page asks for the session.
 */
import { useCallback, useEffect, useState } from "preact/hooks";
import { CHOICES, type Choice, NEW_SESSION } from "../../protocol/hub/answers/team.js";
import { anyOf } from "../../protocol/schema.js";
import { type UserError, userErrorOf } from "../advice.js";
import type { HubAccess } from "../hub/hub-access.js";
import { HubClient } from "../hub/hub-client.js";
import { useLoaded } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { ErrorNote } from "../parts/messages.js";
import { Card } from "../parts/panel.js";
import { goTo, linkTo } from "./route.js";

/** A session, or the members to choose from. */
const BEGUN_SESSION = anyOf([CHOICES, NEW_SESSION]);

const WEB_ADDRESS = /^https?:\/\//;

/** Where the hub sends the browser back: see hub/oidc/sign-in-pages.ts. */
export const SIGNED_IN_PLACE = "signed-in";

interface OidcButtonProps {
  readonly hub: HubClient;
  /** A member has just ended their session here. */
  readonly hasSignedOut: boolean;
}

/** Nothing where the hub has no sign-in. */
export function OidcButton({ hub, hasSignedOut }: OidcButtonProps) {
  const { value } = useLoaded(useCallback(() => hub.identify(), [hub]));
  const offer = value?.sign_in;
  if (!offer || !WEB_ADDRESS.test(offer.url)) return null;
  return (
    <Card title="Members">
      {hasSignedOut && <SignOutToo name={offer.name} url={offer.sign_out_url} />}
      <p>You are a member if an owner of an account has invited your e-mail address.</p>
      <div class="row">
        <a class="button button-primary" href={offer.url}>
          Sign in with {offer.name}
        </a>
      </div>
    </Card>
  );
}

/** Signing out of the hub leaves the server's own session, which other programs use, too: who wants to end that says so. */
function SignOutToo({ name, url = "" }: { readonly name: string; readonly url: string | undefined }) {
  return (
    <p>
      You have signed out of this hub. At {name} you may still be signed in, and with you whoever uses this
      browser next
      {WEB_ADDRESS.test(url) ? (
        <>
          : <a href={url}>Sign out of {name} too</a>
        </>
      ) : (
        "."
      )}
    </p>
  );
}

/** Asks the hub of this page for the session of the sign-in, with the cookie that it has set. */
function ownHub(): HubClient {
  return new HubClient({
    address: new URL("..", location.href).href,
    fetch: (url, init) => fetch(url, { ...init, credentials: "same-origin" }),
  });
}

type Step =
  | { readonly phase: "asking" }
  | { readonly phase: "choosing"; readonly choices: readonly Choice[] }
  | { readonly phase: "failed"; readonly error: UserError };

export function FinishSignIn({ access }: { readonly access: HubAccess }) {
  const [step, setStep] = useState<Step>({ phase: "asking" });
  const ask = useCallback(
    async (memberId?: string) => {
      setStep({ phase: "asking" });
      try {
        const hub = ownHub();
        const json = memberId === undefined ? {} : { member_id: memberId };
        const answer = await hub.ask(BEGUN_SESSION, "POST", "/auth/oidc/token", json);
        if ("choices" in answer) return setStep({ phase: "choosing", choices: answer.choices });
        goTo(linkTo([]), true);
        access.accept({ address: hub.address, token: answer.token });
      } catch (error) {
        setStep({ phase: "failed", error: userErrorOf(error) });
      }
    },
    [access],
  );
  useEffect(() => void ask(), [ask]);
  switch (step.phase) {
    case "asking":
      return <p role="status">Signing in…</p>;
    case "choosing":
      return <Choices choices={step.choices} onChosen={(id) => void ask(id)} />;
    case "failed":
      return (
        <ErrorNote error={step.error}>
          <Button onClick={() => goTo(linkTo([]), true)}>Sign in again</Button>
        </ErrorNote>
      );
    default:
      return step satisfies never;
  }
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  readonly onChosen: (memberId: string) => void;
}

function Choices({ choices, onChosen }: ChoicesProps) {
  return (
    <Card title="Choose an account">
      {choices.some(({ invited }) => invited) && (
        <p>Join an account only if you know who has invited you: its owners see what you do there.</p>
      )}
      <ul class="stack" aria-label="Accounts">
        {choices.map(({ member_id, account_id, name, role, invited }) => (
          <li key={member_id} class="row">
            <Button kind={invited ? "plain" : "primary"} onClick={() => onChosen(member_id)}>
              {invited ? "Join" : "Continue"} as {name}, {role}
            </Button>
            <span class="small muted">
              Account <code>{account_id}</code>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
