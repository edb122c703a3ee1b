/** Roles, scopes and events of the hub (docs/spec/hub-api.md#scopes, #webhook-events), in words. */

export const ROLE_WORDS = Object.freeze({
  viewer: "Viewer: reads",
  operator: "Operator: also gives orders and claims consoles",
  owner: "Owner: may do everything",
});

export const SCOPE_WORDS = Object.freeze({
  read: "Read what the account has",
  orders: "Give orders, tags, groups and rollouts",
  consoles: "Claim and release consoles",
  webhooks: "Manage webhooks",
  account: "Manage members, tokens and the account",
});

export const EVENT_WORDS = Object.freeze({
  "command.succeeded": "A console has executed a command",
  "command.failed": "A console has failed to execute a command",
  "command.expired": "A command had no result in its time",
  "rollout.step": "A rollout has begun its next step",
  "rollout.completed": "Every console of a rollout has ended",
  "rollout.stopped": "The hub has stopped a rollout",
  "device.claimed": "The account has claimed a console",
  "device.released": "A console is no longer the account’s",
});
