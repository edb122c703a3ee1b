/** `svc hub review list`, `accept` and `refuse`: decide what the hub in this environment lists (hub/catalog/reviews.ts). */
import type { Reviews, WaitingVersion } from "../../hub/catalog/reviews.js";
import type { Command } from "../command.js";
import { textTable } from "../terminal/format.js";
import { withOperator } from "./hub-publisher.js";

function withReviews<Result>(use: (reviews: Reviews) => Promise<Result>): Promise<Result> {
  return withOperator(({ reviews }) => use(reviews));
}

const VERSION = [
  { name: "ID", summary: "name of the app" },
  { name: "VERSION", summary: "MAJOR.MINOR.PATCH" },
];

function needsOf({ capabilities, target_arch }: WaitingVersion): string {
  const needs = capabilities.length > 0 ? `may ${capabilities.join(", ")}` : "needs no capability";
  return target_arch === "generic" ? needs : `${needs}, for ${target_arch} consoles alone`;
}

export const hubReviewList: Command = Object.freeze<Command>({
  name: "hub review list",
  summary: "List the versions of apps that wait for review, oldest first.",
  parameters: [],
  options: [],
  async run() {
    const versions = await withReviews((reviews) => reviews.list());
    const rows = versions.map((waiting) => {
      const { app_id, version, publisher, published_at, description } = waiting;
      return [app_id, version, published_at, publisher, `${needsOf(waiting)}: ${description}`];
    });
    return { text: textTable(rows), json: { versions } };
  },
});

export const hubReviewAccept: Command = Object.freeze<Command>({
  name: "hub review accept",
  summary: "List a version that waits for review, or was refused.",
  parameters: VERSION,
  options: [],
  async run({ values: { ID: app = "", VERSION: version = "" } }) {
    await withReviews((reviews) => reviews.accept(app, version));
    return { text: `accepted ${app} ${version}`, json: { app_id: app, version, state: "listed" } };
  },
});

export const hubReviewRefuse: Command = Object.freeze<Command>({
  name: "hub review refuse",
  summary: "Refuse to list a version; its publisher can read why.",
  parameters: VERSION,
  options: [{ name: "reason", value: "TEXT", summary: "why, for the publisher; default: none" }],
  async run({ values: { ID: app = "", VERSION: version = "", reason = "" } }) {
    await withReviews((reviews) => reviews.refuse(app, version, reason));
    return { text: `refused ${app} ${version}`, json: { app_id: app, version, state: "refused", reason } };
  },
});
