/** Endpoints below `/publisher`: what publishers do themselves. The operator does everything else about them. */
import Type from "typebox";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { callerOf } from "../auth/authentication.js";

const ROTATE = endpoint({
  method: "POST",
  path: "/publisher/token",
  tag: "Publishers",
  summary: "Replaces the publisher's token: the one that asks ends, and the new one is told once.",
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
  summary: "Ends the publisher's token; the operator makes a new one. What is published stays.",
  access: "publisher",
  answers: { 204: null },
  faults: [],
  async handle({ publishers }, { caller, reply }) {
    await publishers.endToken(callerOf("publisher", caller).publisherId);
    return reply.code(204).send();
  },
});

export const PUBLISHER_ENDPOINTS: readonly Endpoint[] = Object.freeze([ROTATE, END]);
