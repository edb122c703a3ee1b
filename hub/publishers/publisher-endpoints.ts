/** Endpoints below `/publisher`, for publishers themselves. The operator manages everything else about them. */
import Type from "typebox";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { LONG_PAGE_QUERY } from "../api/keyset.js";
import { callerOf } from "../auth/authentication.js";
import { PUBLISHER_APPS, publisherApps } from "./publisher-apps.js";

const ROTATE = endpoint({
  method: "POST",
  path: "/publisher/token",
  tag: "Publishers",
  summary:
    "Replace the publisher's token. The previous token becomes invalid; the new one is returned only once.",
  access: "publisher",
  answers: { 201: Type.Object({ publisher_id: Type.String(), publisher_token: Type.String() }) },
  faults: [],
  async handle({ publishers }, { caller, reply }) {
    reply.code(201);
    return publishers.rotateToken(callerOf("publisher", caller).publisherId);
  },
});

const END = endpoint({
  method: "DELETE",
  path: "/publisher/token",
  tag: "Publishers",
  summary: "Invalidate the publisher's token. Only the operator can create a new one; publications stay.",
  access: "publisher",
  answers: { 204: null },
  faults: [],
  async handle({ publishers }, { caller, reply }) {
    await publishers.endToken(callerOf("publisher", caller).publisherId);
    return reply.code(204).send();
  },
});

const APPS = endpoint({
  method: "GET",
  path: "/publisher/apps",
  tag: "Publishers",
  summary: "List the publisher's apps, with the state of their newest versions.",
  access: "publisher",
  query: LONG_PAGE_QUERY,
  answers: { 200: PUBLISHER_APPS },
  faults: [],
  handle: (context, { caller, query }) =>
    publisherApps(context, callerOf("publisher", caller).publisherId, query),
});

export const PUBLISHER_ENDPOINTS: readonly Endpoint[] = Object.freeze([APPS, ROTATE, END]);
