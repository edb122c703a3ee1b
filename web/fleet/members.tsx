/** The members of an account: who they are, what they may do, and how they get in. */
import { useCallback, useState } from "preact/hooks";
import type { Member } from "../../protocol/hub/answers/team.js";
import { isAnswered, useLoaded } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { Tag } from "../parts/facts.js";
import { Choice, Field } from "../parts/field.js";
import { ErrorNote, Note } from "../parts/messages.js";
import { Card } from "../parts/panel.js";
import { ConfirmedButton } from "./confirmed-button.js";
import type { PageProps } from "./fleet-app.js";
import { ShownOnce } from "./shown-once.js";
import type { TeamClient } from "./team-client.js";
import { ROLE_WORDS } from "./team-words.js";
import { useAction } from "./use-action.js";

const ROLES = Object.entries(ROLE_WORDS).map(([value, text]) => ({ value, text }));

export function Members({ client: { team } }: Pick<PageProps, "client">) {
  const members = useLoaded(useCallback(() => team.members(), [team]));
  return (
    <>
      <Card title="Members">
        {members.error && <ErrorNote error={members.error} />}
        {members.value?.length === 0 && <p>None yet. The account’s own token may do everything.</p>}
        <ul class="stack" aria-label="Members">
          {members.value?.map((member) => (
            <MemberRow key={member.member_id} team={team} member={member} onChanged={members.reload} />
          ))}
        </ul>
      </Card>
      {isAnswered(members) && <NewMember team={team} onAdded={members.reload} />}
    </>
  );
}

interface MemberRowProps {
  readonly team: TeamClient;
  readonly member: Member;
  readonly onChanged: () => Promise<void>;
}

function MemberRow({ team, member, onChanged }: MemberRowProps) {
  const { member_id: id, name } = member;
  const [token, setToken] = useState<string>();
  const action = useAction();
  const change = (work: () => Promise<unknown>) => () =>
    action.run(async () => {
      await work();
      await onChanged();
    });
  return (
    <li class="team-entry">
      <div class="row">
        <strong>{name}</strong> <Tag>{member.role}</Tag> <Entrance member={member} />
      </div>
      <Role team={team} member={member} onChanged={onChanged} />
      <div class="row">
        <ConfirmedButton
          action="Replace token"
          label={`Replace token of ${name}`}
          question={`Replace the token of ${name}?`}
          isBusy={action.isBusy}
          onConfirm={change(async () => setToken(await team.renewToken(id)))}
        >
          The present token, if there is one, stops working. The new one is shown once.
        </ConfirmedButton>
        {member.identity && (
          <ConfirmedButton
            action="End sessions"
            label={`End sessions of ${name}`}
            question={`End the sessions of ${name}?`}
            isBusy={action.isBusy}
            onConfirm={change(() => team.endSessions(id))}
          >
            They are signed out everywhere, and may sign in again.
          </ConfirmedButton>
        )}
        <ConfirmedButton
          action="Remove"
          label={`Remove ${name}`}
          question={`Remove ${name}?`}
          isBusy={action.isBusy}
          onConfirm={change(() => team.removeMember(id))}
        >
          Their token and their sessions end at once. The audit log keeps the name.
        </ConfirmedButton>
      </div>
      {token !== undefined && (
        <ShownOnce label={`Token of ${name}`} value={token} onDone={() => setToken(undefined)} />
      )}
      {action.error && <ErrorNote error={action.error} />}
    </li>
  );
}

function Entrance({ member: { email, identity } }: Pick<MemberRowProps, "member">) {
  if (email === undefined) return null;
  return (
    <span class="muted">
      {email}
      {identity ? "" : ", invited"}
    </span>
  );
}

function Role({ team, member: { member_id, name, role }, onChanged }: MemberRowProps) {
  const [chosen, setChosen] = useState<string>();
  const action = useAction();
  const save = async () => {
    await team.setRole(member_id, chosen ?? role);
    await onChanged();
    setChosen(undefined);
  };
  return (
    <form
      class="team-choice"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(save);
      }}
    >
      <Choice label={`Role of ${name}`} value={chosen ?? role} options={ROLES} onChange={setChosen} />
      <Button
        type="submit"
        label={`Save role of ${name}`}
        busy={action.isBusy}
        disabled={chosen === undefined || chosen === role}
      >
        Save
      </Button>
      {action.error && <ErrorNote error={action.error} />}
    </form>
  );
}

type Added =
  | { readonly kind: "token"; readonly name: string; readonly token: string }
  | { readonly kind: "invited"; readonly name: string };

function NewMember({ team, onAdded }: Pick<MemberRowProps, "team"> & { onAdded: () => Promise<void> }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState("viewer");
  const [email, setEmail] = useState("");
  const [added, setAdded] = useState<Added>();
  const action = useAction();
  const signIn = useLoaded(useCallback(() => team.signInName(), [team])).value;
  const add = async () => {
    setAdded(undefined);
    const invited = email.trim() === "" ? {} : { email: email.trim() };
    const { token, name: taken } = await team.addMember({ name: name.trim(), role, ...invited });
    setAdded(token === undefined ? { kind: "invited", name: taken } : { kind: "token", name: taken, token });
    setName("");
    setEmail("");
    await onAdded();
  };
  return (
    <Card title="New member">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(add);
        }}
      >
        <Field label="Name of the member" value={name} onInput={setName} autocomplete="off" required />
        <Choice label="Role" value={role} options={ROLES} onChange={setRole} />
        {signIn !== undefined && (
          <Field
            label={`E-mail address at ${signIn} (none: a token)`}
            value={email}
            onInput={setEmail}
            autocomplete="off"
            isCode
          />
        )}
        <div class="filters-end">
          <Button type="submit" busy={action.isBusy}>
            Add the member
          </Button>
        </div>
      </form>
      {action.error && <ErrorNote error={action.error} />}
      {added?.kind === "token" && (
        <ShownOnce
          key={added.token}
          label={`Token of ${added.name}`}
          value={added.token}
          onDone={() => setAdded(undefined)}
        />
      )}
      <div role="status">
        {added?.kind === "invited" && (
          <Note tone="good">{added.name} is invited: tell them to open this page, and to sign in.</Note>
        )}
      </div>
    </Card>
  );
}
