/** The frame of the pages: sign-in, navigation, and the page of the present place. */
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Account } from "../../protocol/hub/answers/team.js";
import type { HubAccess } from "../hub/hub-access.js";
import { useLoaded } from "../hub/use-loaded.js";
import { SignIn } from "../panels/store/sign-in.js";
import { Button } from "../parts/button.js";
import { ErrorNote, Note } from "../parts/messages.js";
import { Panel } from "../parts/panel.js";
import { ConsolePage } from "./console-page.js";
import { Consoles } from "./consoles.js";
import { FleetClient } from "./fleet-client.js";
import { Groups } from "./groups.js";
import { HubForm } from "./hub-form.js";
import { NewRollout } from "./new-rollout.js";
import { Overview } from "./overview.js";
import { RolloutPage } from "./rollout-page.js";
import { Rollouts } from "./rollouts.js";
import { linkTo, route } from "./route.js";
import { FinishSignIn, OidcButton, SIGNED_IN_PLACE } from "./sign-in.js";
import { Team } from "./team.js";
import { Webhooks } from "./webhooks.js";

/** What every page gets. */
export interface PageProps {
  readonly client: FleetClient;
  /** What the token may do (docs/spec/hub-api.md#scopes): no page offers what it may not. */
  readonly scopes: readonly string[];
  /** Whether it may give orders. */
  readonly mayOrder: boolean;
  readonly accountId: string;
  /** The account has ended, and the token with it. */
  readonly onEnded: () => void;
}

const PAGES = [
  { name: "", title: "Overview", scope: "read" },
  { name: "consoles", title: "Consoles", scope: "read" },
  { name: "groups", title: "Groups", scope: "read" },
  { name: "rollouts", title: "Rollouts", scope: "read" },
  { name: "webhooks", title: "Webhooks", scope: "webhooks" },
  { name: "team", title: "Team", scope: "account" },
] as const;

/** How the user has just left an account: it has ended, or their session has, which they have ended. */
type Left = "ended" | "signed out";

export function FleetApp({ access }: { readonly access: HubAccess }) {
  const hub = access.client.value;
  const [place] = route.value.path;
  const [left, setLeft] = useState<Left>();
  useEffect(() => {
    if (hub?.isSignedIn) setLeft(undefined);
  }, [hub]);
  const onEnded = () => {
    access.drop();
    setLeft("ended");
  };
  const onSignOut = () => {
    if (access.isSession) setLeft("signed out");
    access.signOut();
  };
  return (
    <div class="fleet">
      {hub?.isSignedIn ? (
        <SignedIn access={access} onEnded={onEnded} onSignOut={onSignOut} />
      ) : (
        <main class="main">
          <h1>Fleet</h1>
          <div role="status">
            {left === "ended" && (
              <Note tone="good">The account is deleted, with what the hub kept of it.</Note>
            )}
          </div>
          <Panel title="Sign in">
            {place === SIGNED_IN_PLACE ? (
              <FinishSignIn access={access} />
            ) : (
              <SignInWays access={access} left={left} />
            )}
          </Panel>
        </main>
      )}
    </div>
  );
}

interface SignInWaysProps {
  readonly access: HubAccess;
  readonly left: Left | undefined;
}

function SignInWays({ access, left }: SignInWaysProps) {
  const hub = access.client.value;
  if (!hub) return <HubForm access={access} />;
  return (
    <>
      <OidcButton key={hub.address} hub={hub} hasSignedOut={left === "signed out"} />
      <SignIn access={access} />
    </>
  );
}

interface SignedInProps {
  readonly access: HubAccess;
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

function SignedIn({ access, onEnded, onSignOut }: SignedInProps) {
  const hub = access.client.value;
  const client = useMemo(() => hub && new FleetClient(hub), [hub]);
  const account = useLoaded(useCallback(() => (client as FleetClient).account(), [client]));
  const isOver = access.isSession && account.error?.code === "unauthorized";
  useEffect(() => {
    if (isOver) access.signOut();
  }, [access, isOver]);
  const { scopes = [], name } = account.value ?? ({} as Partial<Account>);
  const pages = PAGES.filter(({ scope }) => scopes.includes(scope));
  const [current = ""] = route.value.path;
  return (
    <>
      <header class="fleet-head">
        <h1>Fleet</h1>
        <nav aria-label="Pages">
          <ul class="row">
            {pages.map((page) => (
              <li key={page.name}>
                <a href={linkTo([page.name])} aria-current={current === page.name ? "page" : undefined}>
                  {page.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="row">
          {name && <span class="muted">{name}</span>}
          <Button kind="quiet" onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </header>
      <main class="main">
        {account.error && <ErrorNote error={account.error} />}
        {account.value && client && (
          <Page
            client={client}
            scopes={scopes}
            mayOrder={scopes.includes("orders")}
            accountId={account.value.account_id}
            onEnded={onEnded}
          />
        )}
      </main>
    </>
  );
}

function Page(props: PageProps) {
  const [name = "", id] = route.value.path;
  switch (name) {
    case "":
    case SIGNED_IN_PLACE: // a browser that keeps a token keeps it, whoever has sent it here
      return <Overview {...props} />;
    case "consoles":
      return id === undefined ? <Consoles {...props} /> : <ConsolePage key={id} {...props} id={id} />;
    case "groups":
      return <Groups {...props} />;
    case "rollouts":
      if (id === undefined) return <Rollouts {...props} />;
      if (id === "new") return <NewRollout {...props} />;
      return <RolloutPage key={id} {...props} id={id} />;
    case "webhooks":
      return <Webhooks {...props} />;
    case "team":
      return <Team {...props} />;
    default:
      return <p>There is no such page.</p>;
  }
}
