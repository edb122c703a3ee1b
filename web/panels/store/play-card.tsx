/** Plays the app in the browser, in a page of its own, if this page comes from the hub (docs/spec/web-player.md#play). */
import { useEffect, useRef, useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../../advice.js";
import type { HubClient } from "../../hub/hub-client.js";
import { Button } from "../../parts/button.js";
import { ErrorNote } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import { channelOf, type FromPlayer, PLAYER_PATH, type ToPlayer } from "../../player/handed-app.js";
import type { EntryProps } from "./here-card.js";

export function PlayCard({ entry, version, client }: EntryProps) {
  const [error, setError] = useState<UserError>();
  const handing = useRef(new Set<Handover>()).current;
  useEffect(
    () => () => {
      for (const each of handing) each.close();
    },
    [handing],
  );
  const play = () => {
    setError(undefined);
    const handover = new Handover(() => downloaded(client, entry.id, version.version), setError);
    handing.add(handover);
    window.open(handover.address, "_blank", "noopener");
  };
  if (new URL(client.address).origin !== location.origin) return null;
  const { target_arch: target = "generic" } = version;
  if (target !== "generic")
    return (
      <Card title="In this browser">
        <p>This version is for consoles of the architecture {target} alone. A browser cannot run it.</p>
      </Card>
    );
  return (
    <Card title="In this browser">
      <p>
        {window.isSecureContext
          ? "The app runs in a page of its own, without a console. It cannot reach this page or your account."
          : "To play the app here, open this hub at its https address."}
      </p>
      <div class="row">
        <Button label={`Play ${entry.name}`} disabled={!window.isSecureContext} onClick={play}>
          Play
        </Button>
      </div>
      {error && <ErrorNote error={error} />}
    </Card>
  );
}

async function downloaded(client: HubClient, id: string, version: string): Promise<Uint8Array> {
  return (await client.download(id, { version })).bytes;
}

/** Hands a package to one player, which it waits for, and again when that page is loaded again. */
class Handover {
  readonly address: string;
  readonly #channel: BroadcastChannel;

  constructor(download: () => Promise<Uint8Array>, onError: (error: UserError) => void) {
    const name = [...crypto.getRandomValues(new Uint8Array(16))]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
    this.address = new URL(PLAYER_PATH + name, location.href.replace(/[?#].*$/, "")).href;
    this.#channel = new BroadcastChannel(channelOf(name));
    this.#channel.onmessage = ({ data }: MessageEvent<FromPlayer>) => {
      if (data.kind === "ready") void this.#hand(download, onError);
    };
  }

  /** May be called twice. */
  close(): void {
    this.#channel.close();
  }

  async #hand(download: () => Promise<Uint8Array>, onError: (error: UserError) => void): Promise<void> {
    this.#send({ kind: "wait" });
    try {
      this.#send({ kind: "app", file: await download(), owner: "hub" });
    } catch (cause) {
      const error = userErrorOf(cause);
      onError(error);
      this.#send({ kind: "problem", message: error.message });
    }
  }

  #send(message: ToPlayer): void {
    this.#channel.postMessage(message);
  }
}
