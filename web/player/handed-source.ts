/** The app that another page of this origin hands over (`handed-app.ts`): the hub's store. */
import type { AppSource } from "./app-source.js";
import { CHANNEL_NAME, channelOf, type FromPlayer, type ToPlayer } from "./handed-app.js";

const ADDRESS = /^#app=(.*)$/;

export function isHanded(): boolean {
  return ADDRESS.test(location.hash);
}

/** Wait for the page that hands the app over: it answers at once, though it may still load the app. */
const PATIENCE_MS = 15_000;

export function handedSource(): AppSource {
  return {
    waiting: "Waiting for the app …",
    open(onApp, onProblem) {
      const name = ADDRESS.exec(location.hash)?.[1] ?? "";
      if (!CHANNEL_NAME.test(name)) return onProblem("This address is not complete.");
      const channel = new BroadcastChannel(channelOf(name));
      const gone = setTimeout(
        () => onProblem("The page with the app is closed. Open the app in the store again."),
        PATIENCE_MS,
      );
      channel.onmessage = ({ data }: MessageEvent<ToPlayer>) => {
        clearTimeout(gone);
        if (data.kind === "wait") return;
        channel.close();
        if (data.kind === "app") onApp(data);
        else onProblem(data.message);
      };
      channel.postMessage({ kind: "ready" } satisfies FromPlayer);
    },
  };
}
