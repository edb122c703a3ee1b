/** The one table of the hub's endpoints, in the order of its description. */
import { ACCOUNT_ENDPOINTS } from "../accounts/account-endpoints.js";
import { CATALOG_ENDPOINTS } from "../catalog/catalog-endpoints.js";
import { PAGE_ENDPOINTS } from "../catalog/page-endpoints.js";
import { DEVICE_ENDPOINTS } from "../devices/device-endpoints.js";
import { FIRMWARE_ENDPOINTS } from "../firmware/firmware-endpoints.js";
import { FLEET_ENDPOINTS } from "../fleet/fleet-endpoints.js";
import { IMAGE_ENDPOINTS } from "../images/image-endpoints.js";
import { SIGN_IN_ENDPOINTS } from "../oidc/sign-in-endpoints.js";
import { OPERATION_ENDPOINTS } from "../operations/operation-endpoints.js";
import { PUBLISHER_ENDPOINTS } from "../publishers/publisher-endpoints.js";
import { ROLLOUT_ENDPOINTS } from "../rollouts/rollout-endpoints.js";
import { TEAM_ENDPOINTS } from "../teams/team-endpoints.js";
import { WEBHOOK_ENDPOINTS } from "../webhooks/webhook-endpoints.js";
import type { Endpoint } from "./endpoint.js";

export const ENDPOINTS: readonly Endpoint[] = Object.freeze([
  ...CATALOG_ENDPOINTS,
  ...PAGE_ENDPOINTS,
  ...DEVICE_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...FLEET_ENDPOINTS,
  ...TEAM_ENDPOINTS,
  ...SIGN_IN_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
  ...PUBLISHER_ENDPOINTS,
  ...IMAGE_ENDPOINTS,
  ...FIRMWARE_ENDPOINTS,
  ...ROLLOUT_ENDPOINTS,
  ...OPERATION_ENDPOINTS,
]);
