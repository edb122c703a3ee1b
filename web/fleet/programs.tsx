/** Tokens of programs that use the account: what each may do, and until when. */
import { useCallback, useState } from "preact/hooks";
import type { Program } from "../../protocol/hub/answers/team.js";
import { isAnswered, useLoaded } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { Tag } from "../parts/facts.js";
import { Choice, Field } from "../parts/field.js";
import { ErrorNote } from "../parts/messages.js";
import { Card } from "../parts/panel.js";
import { Checks } from "./checks.js";
import { ConfirmedButton } from "./confirmed-button.js";
import type { PageProps } from "./fleet-app.js";
import { ShownOnce } from "./shown-once.js";
import type { TeamClient } from "./team-client.js";
import { SCOPE_WORDS } from "./team-words.js";
import { timeText } from "./times.js";
import { useAction } from "./use-action.js";

const DAY_S = 24 * 3600;
const ENDLESS = "";

const LIFETIMES = [
  ...["7", "30", "90", "365"].map((days) => ({ value: days, text: `${days} days` })),
  { value: ENDLESS, text: "It does not expire" },
];

export function Programs({ client: { team } }: Pick<PageProps, "client">) {
  const programs = useLoaded(useCallback(() => team.programs(), [team]));
  return (
    <>
      <Card title="API tokens">
        {programs.error && <ErrorNote error={programs.error} />}
        {programs.value?.length === 0 && (
          <p>None yet. Each program gets a token that may do only what it needs.</p>
        )}
        <ul class="stack" aria-label="API tokens">
          {programs.value?.map((program) => (
            <ProgramRow key={program.token_id} team={team} program={program} onChanged={programs.reload} />
          ))}
        </ul>
      </Card>
      {isAnswered(programs) && <NewProgram team={team} onAdded={programs.reload} />}
    </>
  );
}

interface ProgramRowProps {
  readonly team: TeamClient;
  readonly program: Program;
  readonly onChanged: () => Promise<void>;
}

function ProgramRow({ team, program: { token_id, name, scopes, expires_at }, onChanged }: ProgramRowProps) {
  const action = useAction();
  const revoke = async () => {
    await team.removeProgram(token_id);
    await onChanged();
  };
  return (
    <li class="team-entry">
      <div class="row">
        <strong>{name}</strong>
        {scopes.map((scope) => (
          <Tag key={scope}>{scope}</Tag>
        ))}
        <Expiry expiresAt={expires_at} />
        <ConfirmedButton
          action="Revoke"
          label={`Revoke ${name}`}
          question={`Revoke the token of ${name}?`}
          isBusy={action.isBusy}
          onConfirm={() => action.run(revoke)}
        >
          The program is locked out at once.
        </ConfirmedButton>
      </div>
      {action.error && <ErrorNote error={action.error} />}
    </li>
  );
}

function Expiry({ expiresAt }: { readonly expiresAt: string | null }) {
  if (expiresAt === null) return <span class="muted">does not expire</span>;
  if (Date.parse(expiresAt) <= Date.now()) return <Tag tone="bad">expired</Tag>;
  return <span class="muted">until {timeText(expiresAt)}</span>;
}

function NewProgram({ team, onAdded }: Pick<ProgramRowProps, "team"> & { onAdded: () => Promise<void> }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>(["read"]);
  const [days, setDays] = useState("90");
  const [added, setAdded] = useState<{ readonly name: string; readonly token: string }>();
  const action = useAction();
  const add = async () => {
    setAdded(undefined);
    const expiry = days === ENDLESS ? {} : { expires_in_s: Number(days) * DAY_S };
    const token = await team.addProgram({ name: name.trim(), scopes, ...expiry });
    setAdded({ name: name.trim(), token });
    setName("");
    await onAdded();
  };
  return (
    <Card title="New API token">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(add);
        }}
      >
        <div class="filters">
          <Field label="Name of the program" value={name} onInput={setName} autocomplete="off" required />
          <Choice label="Valid for" value={days} options={LIFETIMES} onChange={setDays} />
        </div>
        <Checks legend="It may" words={SCOPE_WORDS} chosen={scopes} onChange={setScopes} />
        <div class="row">
          <Button type="submit" busy={action.isBusy} disabled={scopes.length === 0}>
            Create the token
          </Button>
        </div>
      </form>
      {action.error && <ErrorNote error={action.error} />}
      {added && (
        <ShownOnce
          key={added.token}
          label={`Token of ${added.name}`}
          value={added.token}
          onDone={() => setAdded(undefined)}
        />
      )}
    </Card>
  );
}
