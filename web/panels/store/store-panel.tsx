/** The Store panel: apps of a hub, for the connected console and for all consoles of an account. */
import { signal } from "@preact/signals";
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { HubAccess } from "../../hub/hub-access.js";
import type { HubClient } from "../../hub/hub-client.js";
import { isAnswered, useLoaded } from "../../hub/use-loaded.js";
import { Panel } from "../../parts/panel.js";
import { AccountCard } from "./account-card.js";
import { CatalogView } from "./catalog-view.js";
import { EntryView } from "./entry-view.js";
import { HubChoice } from "./hub-choice.js";
import { SignIn } from "./sign-in.js";
import { StoreState } from "./store-state.js";
import "./store-panel.css";

/** Outlives the panel: the store is unchanged when the user returns. */
const shown = signal<{ readonly access: HubAccess; readonly store: StoreState } | undefined>(undefined);

export function StorePanel() {
  const { access, store } = useMemo(() => {
    shown.value ??= { access: new HubAccess(), store: new StoreState() };
    return shown.value;
  }, []);
  useEffect(() => {
    const follow = () => store.follow();
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, [store]);
  const hub = access.hub.value;
  const client = access.client.value;
  return (
    <Panel title="Store">
      {!hub || !client ? (
        <HubChoice access={access} />
      ) : (
        <Store key={hub.address + hub.token} access={access} client={client} store={store} />
      )}
    </Panel>
  );
}

interface StoreProps {
  readonly access: HubAccess;
  readonly client: HubClient;
  readonly store: StoreState;
}

function Store({ access, client, store }: StoreProps) {
  const id = store.entryId.value;
  if (id !== undefined) return <EntryView key={id} id={id} client={client} onBack={() => store.back()} />;
  return client.isSignedIn ? (
    <>
      <CatalogView client={client} store={store} />
      <AccountCard access={access} client={client} />
    </>
  ) : (
    <SignedOut access={access} client={client} store={store} />
  );
}

/** The catalogue, if it is public, and the ways to an account. */
function SignedOut({ access, client, store }: StoreProps) {
  const hub = useLoaded(useCallback(() => client.identify(), [client]));
  if (!isAnswered(hub)) return null;
  return (
    <>
      {hub.value?.public_catalog && <CatalogView client={client} store={store} />}
      <SignIn access={access} />
    </>
  );
}
