import { type FormEvent, useState } from 'react';
import { instantOf } from '../times/zone.ts';
import { Deliveries } from './deliveries.tsx';
import { SubscriptionForm } from './subscription-form.tsx';
import { type Act, act, change, remove, replay, rotate, type Subscription, type Wanted } from './webhooks-api.ts';

interface Props {
  subscription: Subscription;
  company: string;
  zone: string | undefined;
  when: (instant: string | null) => string;
  /** Something of it is another now. @param said what was done, for a person */
  onChanged: (said: string) => void;
  onSecret: (secret: string) => void;
  onRemoved: () => void;
  onFailed: (error: unknown) => void;
}

/** Returns the state of a subscription in words. */
export function stateOf({ disabledAt, disabledReason, pausedAt, failingSince }: Subscription, when: Props['when']): string {
  if (disabledAt)
    return disabledReason === 'gone' ? `Switched off: the endpoint wants nothing more` : 'Switched off: nothing was taken for three days';
  if (pausedAt) return `Paused since ${when(pausedAt)}`;
  return failingSince ? `Failing since ${when(failingSince)}` : 'Works';
}

/** One subscription: how it is, what can be done with it, and what was sent. */
export function SubscriptionPanel({ subscription, company, zone, when, onChanged, onSecret, onRemoved, onFailed }: Props) {
  const { id, triggers, headerNames, pausedAt, disabledAt, includeChildren } = subscription;
  const [form, setForm] = useState<'change' | 'remove' | 'replay'>();
  const [version, setVersion] = useState(0);
  const done = (said: string) => {
    setForm(undefined);
    setVersion((count) => count + 1);
    onChanged(said);
  };
  const does = (what: Act, said: string) => () => void act(what, id).then(() => done(said), onFailed);
  const save = (wanted: Wanted) => change(id, wanted).then(() => done('It is changed.'), onFailed);
  const known = { ...subscription, name: subscription.name ?? '', triggers: triggers.map(({ name }) => name) };
  return (
    <>
      <dl>
        <Fact name="Address">{subscription.url}</Fact>
        <Fact name="State">{stateOf(subscription, when)}</Fact>
        <Fact name="Informed of">{known.triggers.join(', ')}</Fact>
        {includeChildren && <Fact name="Companies">Yours and those below</Fact>}
        {headerNames.length > 0 && <Fact name="Headers of yours">{headerNames.join(', ')}</Fact>}
        <Fact name="Last delivered">{when(subscription.lastDeliveredAt) || 'Nothing yet'}</Fact>
      </dl>
      <p className="acts">
        <button type="button" onClick={does('testWebhookSubscription', 'A test is on its way.')}>
          Send a test
        </button>
        {pausedAt || disabledAt ? (
          <button type="button" onClick={does('resumeWebhookSubscription', 'What has waited is sent.')}>
            Resume
          </button>
        ) : (
          <button type="button" onClick={does('pauseWebhookSubscription', 'What happens now waits.')}>
            Pause
          </button>
        )}
        <button type="button" onClick={() => setForm('change')}>
          Change
        </button>
        <button type="button" onClick={() => setForm('replay')}>
          Replay
        </button>
        <button type="button" onClick={() => void rotate(id).then(onSecret, onFailed)}>
          New secret
        </button>
        <button type="button" onClick={() => setForm('remove')}>
          Delete
        </button>
      </p>
      {form === 'change' && <SubscriptionForm known={known} onSave={save} onCancel={() => setForm(undefined)} />}
      {form === 'replay' && zone && (
        <Replay
          onReplay={(from, to) =>
            replay(id, instantOf(from, zone), to ? instantOf(to, zone) : null).then(() => done('It is sent again.'), onFailed)
          }
          onCancel={() => setForm(undefined)}
        />
      )}
      {form === 'remove' && (
        <form
          className="filters"
          aria-label="Delete the subscription"
          onSubmit={(event) => {
            event.preventDefault();
            void remove(id).then(onRemoved, onFailed);
          }}
        >
          <p>What waits for it, and the log of what was sent, are deleted with it.</p>
          <button type="submit">Delete it</button>
          <button type="button" onClick={() => setForm(undefined)}>
            Keep it
          </button>
        </form>
      )}
      <Deliveries subscription={id} company={company} version={version} when={when} onFailed={onFailed} />
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** From when on events are sent again, and until when if not all of them. */
function Replay({ onReplay, onCancel }: { onReplay: (from: string, to: string) => void; onCancel: () => void }) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onReplay(from, to);
  };
  return (
    <form className="filters" aria-label="Replay" onSubmit={submit}>
      <label>
        All events from
        <input required type="datetime-local" value={from} onChange={(event) => setFrom(event.target.value)} />
      </label>
      <label>
        until
        <input type="datetime-local" min={from} value={to} onChange={(event) => setTo(event.target.value)} />
      </label>
      <button type="submit">Send them again</button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}
