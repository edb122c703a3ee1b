/** The app of `svc app dev --browser`: loaded again at each build, and its log told to the terminal. */
import type { AppReport, AppSource } from "./app-source.js";

export function devSource(): AppSource {
  const reports = new ReportQueue();
  return {
    waiting: "Waiting for the app to be built …",
    open(onApp, onProblem) {
      const events = new EventSource("events");
      let shown = "";
      events.addEventListener("built", async ({ data: build }) => {
        if (build === shown) return; // the connection was lost, and is there again
        try {
          const answer = await fetch("app.svcpkg");
          if (!answer.ok) return; // the next build has its own event
          shown = build;
          onApp({ file: new Uint8Array(await answer.arrayBuffer()), owner: "dev" });
          onProblem(undefined);
        } catch {
          onProblem("svc app dev does not answer.");
        }
      });
      events.addEventListener("failed", ({ data }) => onProblem(String(data)));
      events.onerror = () => onProblem("svc app dev has ended. The app stays as it is.");
      events.onopen = () => onProblem(undefined);
    },
    report: (event) => reports.add(event),
  };
}

/** Reports that wait while one is on its way; older ones are dropped. */
const QUEUE_LIMIT = 64;

/** Sends one report after the other, so that they arrive in order and a flood waits here. */
class ReportQueue {
  readonly #waiting: AppReport[] = [];
  #isSending = false;

  add(report: AppReport): void {
    this.#waiting.push(report);
    if (this.#waiting.length > QUEUE_LIMIT) this.#waiting.shift();
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    for (let report = this.#waiting.shift(); report; report = this.#waiting.shift())
      await fetch("report", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(report),
      }).catch(() => {}); // svc has ended, which the page says
    this.#isSending = false;
  }
}
