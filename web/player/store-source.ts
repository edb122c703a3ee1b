/**
 * An app of the public catalogue of the hub that serves the player, by an address that anyone may pass on: `#store=ID`. The
 * player loads it by itself, without a token (docs/spec/web-player.md#play-link).
 */
import { isAppName } from "../../protocol/manifest/app-name.js";
import type { AppSource } from "./app-source.js";

const ADDRESS = /^#store=(.*)$/;

export function isInStore(): boolean {
  return ADDRESS.test(location.hash);
}

export function storeSource(): AppSource {
  return {
    waiting: "Loading the app …",
    async open(onApp, onProblem) {
      const id = ADDRESS.exec(location.hash)?.[1] ?? "";
      if (!isAppName(id)) return onProblem("This address is not complete.");
      try {
        const answer = await fetch(`../api/v1/catalog/${id}/download`);
        if (!answer.ok) return onProblem(reasonOf(answer.status));
        onApp({ file: new Uint8Array(await answer.arrayBuffer()), owner: "hub" });
      } catch {
        onProblem("The hub does not answer.");
      }
    },
  };
}

function reasonOf(status: number): string {
  if (status === 404) return "The hub has no such app.";
  if (status === 410) return "This app is no longer available.";
  return status === 401
    ? "Open this app in the store: the hub wants an account."
    : "The hub refuses the app.";
}
