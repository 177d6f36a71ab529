import { useCallback, useEffect, useRef, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { forwards, Listing } from '../frame/listing.tsx';
import { Page, type PageProps } from '../frame/page.tsx';
import { Panel } from '../frame/panel.tsx';
import { useLatest, useProblem } from '../frame/problem.ts';
import { TableHead } from '../frame/table-head.tsx';
import { viewIn } from '../frame/view.ts';
import { timesIn } from '../times/times.ts';
import { SubscriptionForm } from './subscription-form.tsx';
import { SubscriptionPanel, stateOf } from './subscription-panel.tsx';
import { create, type Page as PageOf, readSubscription, readSubscriptions, type Subscription, type Wanted } from './webhooks-api.ts';

/** `subscription` is an id, or `new` for the form of another one. */
const EMPTY = { cursor: '', company: '', subscription: '' };
type View = typeof EMPTY;
const NO_SECRET = { of: '', text: '' };
const viewOf = (address: string): View => viewIn(EMPTY, address);

/** To whom a company sends what happens, how it goes, and what was sent. */
export function Webhooks({ pages, onSignedOut }: PageProps) {
  const [view, show] = useView(viewOf);
  const [page, setPage] = useState<PageOf<Subscription>>();
  const [shown, setShown] = useState<Subscription>();
  const [secret, setSecret] = useState(NO_SECRET);
  const [message, setMessage] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const [problem, failed, forget] = useProblem(onSignedOut);
  const { cursor, company, subscription } = view;
  const [latest] = useLatest(failed);
  const load = useCallback(() => {
    const isOne = subscription !== '' && subscription !== 'new';
    return latest(
      () => Promise.all([readSubscriptions(company, cursor), isOne ? readSubscription(subscription) : Promise.resolve(undefined)]),
      ([found, one]) => {
        setPage(found);
        setShown(one);
      },
    );
  }, [company, cursor, subscription, latest]);
  useEffect(() => void load(), [load]);
  const { family, zone } = useFamily(company, failed);
  const when = timesIn(zone);
  const isShown = shown?.id === subscription;
  const go = (change: Partial<View>, said = '') => {
    forget();
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
    <Page
      title="Webhooks"
      skip={{ to: 'webhooks', name: 'Skip to the subscriptions' }}
      pages={pages}
      family={family}
      company={company}
      onCompany={(company) => go({ company, cursor: '' })}
      onSignedOut={onSignedOut}
      filters={
        <p className="filters">
          <button type="button" onClick={() => go({ subscription: 'new' })}>
            New subscription
          </button>
          <button type="button" onClick={() => load()}>
            Refresh
          </button>
        </p>
      }
      status={message || (page && countOf(page))}
      problems={[problem.text]}
    >
      <Listing
        id="webhooks"
        steps={forwards(['Newest', 'Older'], cursor, page?.next, (cursor) => go({ cursor }))}
        panel={
          subscription && (
            <Panel
              id="subscription-title"
              title={subscription === 'new' ? 'New subscription' : isShown ? (shown.name ?? shown.url) : ''}
              heading={heading}
              shown={isShown ? shown.id : ''}
              onClose={close}
            >
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
                    forget();
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
            </Panel>
          )
        }
      >
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
      </Listing>
    </Page>
  );
}

function countOf({ nodes: { length }, next }: PageOf<Subscription>): string {
  if (length === 0) return 'Nobody is informed of anything yet.';
  return `${length} ${length === 1 ? 'subscription' : 'subscriptions'}${next ? ' on this page; there are older ones' : ''}.`;
}
