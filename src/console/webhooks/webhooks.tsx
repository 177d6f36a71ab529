import { useCallback, useEffect, useRef, useState } from 'react';
import { SignedOut } from '../api.ts';
import { usePage } from '../entry.tsx';
import { useFamily, useView } from '../hooks.ts';
import type { PageLink } from '../page-links.ts';
import { TableHead } from '../table-head.tsx';
import { timesIn } from '../times.ts';
import { Top } from '../top.tsx';
import { viewIn } from '../view.ts';
import { SubscriptionForm } from './subscription-form.tsx';
import { SubscriptionPanel, stateOf } from './subscription-panel.tsx';
import { create, type Page, readSubscription, readSubscriptions, type Subscription, type Wanted } from './webhooks-api.ts';

/** `subscription` is an id, or `new` for the form of another one. */
const EMPTY = { cursor: '', company: '', subscription: '' };
type View = typeof EMPTY;
const NO_SECRET = { of: '', text: '' };
const viewOf = (address: string): View => viewIn(EMPTY, address);

/** To whom a company sends what happens, how it goes, and what was sent. */
export function Webhooks({ pages, onSignedOut }: { pages: readonly PageLink[]; onSignedOut: (reason: string) => void }) {
  usePage('Webhooks', 'en');
  const [view, show] = useView(viewOf);
  const [page, setPage] = useState<Page<Subscription>>();
  const [shown, setShown] = useState<Subscription>();
  const [secret, setSecret] = useState(NO_SECRET);
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const failed = useCallback(
    (error: unknown) => {
      if (error instanceof SignedOut) onSignedOut(error.message);
      else setProblem((error as Error).message);
    },
    [onSignedOut],
  );
  const { cursor, company, subscription } = view;
  const asked = useRef(0);
  const load = useCallback(async () => {
    const mine = ++asked.current;
    try {
      const isOne = subscription !== '' && subscription !== 'new';
      const [found, one] = await Promise.all([
        readSubscriptions(company, cursor),
        isOne ? readSubscription(subscription) : Promise.resolve(undefined),
      ]);
      if (mine !== asked.current) return;
      setPage(found);
      setShown(one);
    } catch (error) {
      if (mine === asked.current) failed(error);
    }
  }, [company, cursor, subscription, failed]);
  useEffect(() => void load(), [load]);
  const { family, zone } = useFamily(company, failed);
  const when = timesIn(zone);
  const isShown = shown?.id === subscription;
  useEffect(() => {
    if (isShown) heading.current?.focus();
  }, [isShown]);
  const go = (change: Partial<View>, said = '') => {
    setProblem('');
    setMessage(said);
    setSecret((now) => (now.of === change.subscription ? now : NO_SECRET));
    show({ ...view, subscription: '', ...change });
  };
  const close = () => {
    go({});
    document.getElementById('webhooks')?.focus();
  };
  const subscribe = async (wanted: Wanted) => {
    try {
      const { id, secret } = await create(wanted, company);
      setSecret({ of: id, text: secret });
      go({ subscription: id });
    } catch (error) {
      failed(error);
    }
  };
  return (
    <>
      <a className="skip" href="#webhooks">
        Skip to the subscriptions
      </a>
      <Top
        title="Webhooks"
        pages={pages}
        family={family}
        company={company}
        onCompany={(company) => go({ company, cursor: '' })}
        onSignedOut={() => onSignedOut('')}
      />
      <p className="filters">
        <button type="button" onClick={() => go({ subscription: 'new' })}>
          New subscription
        </button>
        <button type="button" onClick={() => load()}>
          Refresh
        </button>
      </p>
      <p className="note" role="status">
        {message || (page && countOf(page))}
      </p>
      {problem && <p role="alert">{problem}</p>}
      <div className={subscription ? 'with-panel' : undefined}>
        <main id="webhooks" tabIndex={-1}>
          <table>
            <caption>Newest first{zone && `; times are those of ${zone}`}</caption>
            <TableHead names={['Subscription', 'State', 'Last delivered', 'Triggers']} />
            <tbody>
              {page?.nodes.map((one) => (
                <tr key={one.id} aria-current={one.id === subscription}>
                  <th scope="row">
                    <button type="button" className="link" onClick={() => go({ subscription: one.id })}>
                      {one.name ?? one.url}
                    </button>
                  </th>
                  <td>{stateOf(one, when)}</td>
                  <td className="when">{when(one.lastDeliveredAt)}</td>
                  <td className="number">{one.triggers.length}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <nav aria-label="Pages">
            <button type="button" aria-disabled={cursor === ''} onClick={() => cursor && go({ cursor: '' })}>
              Newest
            </button>
            <button type="button" aria-disabled={!page?.next} onClick={() => page?.next && go({ cursor: page.next })}>
              Older
            </button>
          </nav>
        </main>
        {subscription && (
          <section className="panel" aria-labelledby="subscription-title" onKeyDown={(event) => event.key === 'Escape' && close()}>
            <header>
              <h2 id="subscription-title" ref={heading} tabIndex={-1}>
                {subscription === 'new' ? 'New subscription' : isShown ? (shown.name ?? shown.url) : ''}
              </h2>
              <button type="button" onClick={close}>
                Close
              </button>
            </header>
            {subscription === 'new' && <SubscriptionForm onSave={subscribe} onCancel={close} />}
            {secret.of === subscription && (
              <p role="status">
                The secret is <code>{secret.text}</code>. It is shown only now: keep it where your receiver reads it.
              </p>
            )}
            {isShown && (
              <SubscriptionPanel
                key={shown.id}
                subscription={shown}
                company={company}
                zone={zone}
                when={when}
                onChanged={(said) => {
                  setProblem('');
                  setMessage(said);
                  void load();
                }}
                onSecret={(text) => setSecret({ of: shown.id, text })}
                onRemoved={() => {
                  go({}, 'It is deleted.');
                  void load();
                }}
                onFailed={failed}
              />
            )}
          </section>
        )}
      </div>
    </>
  );
}

function countOf({ nodes: { length }, next }: Page<Subscription>): string {
  if (length === 0) return 'Nobody is informed of anything yet.';
  return `${length} ${length === 1 ? 'subscription' : 'subscriptions'}${next ? ' on this page; there are older ones' : ''}.`;
}
