import { useCallback, useEffect, useState } from 'react';
import { forwards, Paging } from '../frame/listing.tsx';
import { type Delivery, type Page, readDeliveries, readTries, redeliver, type Try } from './webhooks-api.ts';

interface Props {
  subscription: string;
  company: string;
  /** Another number reads the list again. */
  version: number;
  when: (instant: string | null) => string;
  onFailed: (error: unknown) => void;
}

/** The deliveries that were sent to an endpoint or wait for it, the newest first, with every try. */
export function Deliveries({ subscription, company, version, when, onFailed }: Props) {
  const [page, setPage] = useState<Page<Delivery>>();
  const [cursor, setCursor] = useState('');
  const [opened, setOpened] = useState('');
  const [sent, setSent] = useState(0);
  const load = useCallback(
    () => readDeliveries(subscription, company, cursor).then(setPage, onFailed),
    [subscription, company, cursor, onFailed],
  );
  useEffect(() => void load(), [load, version, sent]);
  const again = (id: string) => redeliver(id).then(() => setSent((count) => count + 1), onFailed);
  return (
    <section aria-labelledby="deliveries">
      <h3 id="deliveries">What was sent</h3>
      <button type="button" onClick={() => load()}>
        Refresh
      </button>
      {page?.nodes.length === 0 && <p className="note">Nothing yet.</p>}
      <ol className="deliveries">
        {page?.nodes.map((delivery) => (
          <li key={delivery.id}>
            <button
              type="button"
              className="link"
              aria-expanded={opened === delivery.id}
              onClick={() => setOpened(opened === delivery.id ? '' : delivery.id)}
            >
              {delivery.trigger}, {when(delivery.eventTime)}
            </button>{' '}
            <span className={`state ${delivery.state}`}>{stateOf(delivery, when)}</span>{' '}
            <button
              type="button"
              aria-label={`Send ${delivery.trigger} of ${when(delivery.eventTime)} again`}
              onClick={() => again(delivery.id)}
            >
              Send again
            </button>
            {opened === delivery.id && (
              <Tries key={`${delivery.id} ${delivery.attempts}`} id={delivery.id} when={when} onFailed={onFailed} />
            )}
          </li>
        ))}
      </ol>
      <Paging name="Pages of what was sent" steps={forwards(['Newest', 'Older'], cursor, page?.next, setCursor)} />
    </section>
  );
}

function stateOf({ state, attempts, dueAt }: Delivery, when: Props['when']): string {
  const tries = `${attempts} ${attempts === 1 ? 'try' : 'tries'}`;
  if (state === 'delivered') return `delivered, ${tries}`;
  if (state === 'failed') return `failed, ${tries}`;
  return attempts === 0 ? 'waits' : `${tries}, again at ${when(dueAt)}`;
}

const headersOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function Tries({ id, when, onFailed }: Pick<Props, 'when' | 'onFailed'> & { id: string }) {
  const [tries, setTries] = useState<Try[]>();
  useEffect(() => {
    let isCurrent = true;
    readTries(id).then(
      (found) => isCurrent && setTries(found),
      (error: unknown) => isCurrent && onFailed(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [id, onFailed]);
  if (tries?.length === 0) return <p className="note">Not tried yet.</p>;
  return (
    <ol className="tries">
      {tries?.map((one) => (
        <li key={one.id}>
          <p>
            Try {one.attempt}, {when(one.startedAt)}: {one.error ?? `answered ${one.responseStatus}`} after {one.durationMs} ms
          </p>
          <details>
            <summary>What was sent</summary>
            <pre>{headersOf(one.requestHeaders)}</pre>
            <pre>{one.requestBody}</pre>
          </details>
          {one.responseHeaders && (
            <details>
              <summary>What was answered</summary>
              <pre>{headersOf(one.responseHeaders)}</pre>
              {one.responseBody && <pre>{one.responseBody}</pre>}
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
