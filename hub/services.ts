/** Creates the hub's services with their dependencies; one set per process. */
import { Accounts } from "./accounts/accounts.js";
import { Authentication } from "./auth/authentication.js";
import { AppLines } from "./catalog/app-lines.js";
import { AppPages } from "./catalog/app-pages.js";
import { Catalog } from "./catalog/catalog.js";
import { SearchBudget } from "./catalog/search-budget.js";
import { Commands } from "./commands/commands.js";
import type { HubContext } from "./context.js";
import { Devices } from "./devices/devices.js";
import { Uploads } from "./files/uploads.js";
import { Firmwares } from "./firmware/firmwares.js";
import { Groups } from "./fleet/groups.js";
import { Tags } from "./fleet/tags.js";
import { History } from "./history/history.js";
import { ImageCompiler } from "./images/image-compiler.js";
import { RateLimits } from "./limits/rate-limits.js";
import { SignIns } from "./oidc/sign-ins.js";
import { Metrics } from "./operations/metrics.js";
import { Publishers } from "./publishers/publishers.js";
import { PushChannel } from "./push/push-channel.js";
import { Retention } from "./retention/retention.js";
import { Rollouts } from "./rollouts/rollouts.js";
import { Audit } from "./teams/audit.js";
import { Sessions } from "./teams/sessions.js";
import { Teams } from "./teams/teams.js";
import { type DeliveryOutcome, WebhookDispatcher } from "./webhooks/webhook-dispatcher.js";
import { Webhooks } from "./webhooks/webhooks.js";

export interface HubServices extends HubContext {
  readonly accounts: Accounts;
  readonly appLines: AppLines;
  readonly appPages: AppPages;
  readonly audit: Audit;
  readonly authentication: Authentication;
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly devices: Devices;
  readonly firmwares: Firmwares;
  readonly groups: Groups;
  readonly history: History;
  readonly images: ImageCompiler;
  readonly limits: RateLimits;
  readonly metrics: Metrics;
  readonly publishers: Publishers;
  readonly push: PushChannel;
  readonly retention: Retention;
  readonly rollouts: Rollouts;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  readonly tags: Tags;
  readonly teams: Teams;
  readonly searches: SearchBudget;
  readonly uploads: Uploads;
  readonly webhooks: Webhooks;
  readonly webhookDispatcher: WebhookDispatcher;
}

export function hubServices(context: HubContext): HubServices {
  const audit = new Audit(context);
  const authentication = new Authentication(context);
  const limits = new RateLimits(context);
  const publishers = new Publishers(context);
  const catalog = new Catalog({ ...context, publishers });
  const appLines = new AppLines(context, catalog);
  const appPages = new AppPages(context, catalog);
  const firmwares = new Firmwares({ ...context, publishers });
  const devices = new Devices({ ...context, authentication });
  const commands = new Commands(context);
  const history = new History(context);
  const tags = new Tags(context);
  const groups = new Groups(context);
  const accounts = new Accounts({ ...context, authentication, commands, limits });
  const push = new PushChannel({
    ...context,
    authentication,
    catalog,
    commands,
    devices,
    firmwares,
    history,
  });
  const metrics = new Metrics({ ...context, push });
  history.onAdded((event) => metrics.countEvent(event));
  commands.onEnded((ended) => metrics.countEnded(ended));
  const images = new ImageCompiler({ ...context, onEnded: (outcome) => metrics.countCompilation(outcome) });
  const searches = new SearchBudget(context.config);
  const uploads = new Uploads();
  const rollouts = new Rollouts({ ...context, catalog, commands, devices, firmwares, groups });
  const sessions = new Sessions(context);
  const signIns = new SignIns({ ...context, sessions });
  const teams = new Teams({ ...context, authentication, sessions });
  const retention = new Retention({ ...context, commands, rollouts });
  const webhooks = new Webhooks({ ...context, limits });
  const onAttempt = (outcome: DeliveryOutcome) => metrics.countWebhookAttempt(outcome);
  const webhookDispatcher = new WebhookDispatcher({ ...context, onAttempt });
  return {
    ...context,
    accounts,
    appLines,
    appPages,
    audit,
    authentication,
    catalog,
    commands,
    devices,
    firmwares,
    groups,
    history,
    images,
    limits,
    metrics,
    publishers,
    push,
    retention,
    rollouts,
    sessions,
    signIns,
    tags,
    teams,
    searches,
    uploads,
    webhooks,
    webhookDispatcher,
  };
}
