/** Creates the hub's services with their dependencies; one set per process. */
import { Accounts } from "./accounts/accounts.js";
import { Authentication } from "./auth/authentication.js";
import { Catalog } from "./catalog/catalog.js";
import { Commands } from "./commands/commands.js";
import type { HubContext } from "./context.js";
import { Devices } from "./devices/devices.js";
import { Uploads } from "./files/uploads.js";
import { Firmwares } from "./firmware/firmwares.js";
import { RateLimits } from "./limits/rate-limits.js";
import { Metrics } from "./operations/metrics.js";
import { Publishers } from "./publishers/publishers.js";
import { PushChannel } from "./push/push-channel.js";
import { Retention } from "./retention/retention.js";
import { Rollouts } from "./rollouts/rollouts.js";

export interface HubServices extends HubContext {
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly devices: Devices;
  readonly firmwares: Firmwares;
  readonly limits: RateLimits;
  readonly metrics: Metrics;
  readonly publishers: Publishers;
  readonly push: PushChannel;
  readonly retention: Retention;
  readonly rollouts: Rollouts;
  readonly uploads: Uploads;
}

export function hubServices(context: HubContext): HubServices {
  const authentication = new Authentication(context);
  const limits = new RateLimits(context);
  const publishers = new Publishers(context);
  const catalog = new Catalog({ ...context, publishers });
  const firmwares = new Firmwares({ ...context, publishers });
  const devices = new Devices({ ...context, authentication });
  const commands = new Commands(context);
  const accounts = new Accounts({ ...context, authentication, commands, limits });
  const push = new PushChannel({ ...context, authentication, catalog, commands, devices, firmwares });
  const metrics = new Metrics({ ...context, push });
  const uploads = new Uploads();
  const rollouts = new Rollouts({ ...context, catalog, commands, devices, firmwares });
  const retention = new Retention({ ...context, commands, rollouts });
  return {
    ...context,
    accounts,
    authentication,
    catalog,
    commands,
    devices,
    firmwares,
    limits,
    metrics,
    publishers,
    push,
    retention,
    rollouts,
    uploads,
  };
}
