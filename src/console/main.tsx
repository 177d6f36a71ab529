import './style.css';
import './entry/sign-in.css';
import './review/review.css';
import './day/day.css';
import './settlements/settlements.css';
import './webhooks/webhooks.css';
import './reports/reports.css';
import './report/report.css';
import { lazy, StrictMode, Suspense, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Day } from './day/day.tsx';
import { type Arrival, arriveByEmail, EmailLink } from './entry/email-pages.tsx';
import { arriveFromProvider } from './entry/provider.ts';
import { SignIn } from './entry/sign-in.tsx';
import { Welcome } from './entry/welcome.tsx';
import { pagesOf } from './frame/page-links.ts';
import { Imports } from './imports/imports.tsx';
import { Reports } from './reports/reports.tsx';
import { Review } from './review/review.tsx';
import { SignedOut } from './server/request.ts';
import { isSignedIn, signOut } from './server/session.ts';
import { readMyself, type Somebody } from './server/somebody.ts';
import { SettlementsPage } from './settlements/settlements.tsx';
import { Tickets } from './tickets/tickets.tsx';
import { Webhooks } from './webhooks/webhooks.tsx';

/** The workbench of GraphQL sends people here who are to sign in, and asks with the session of the tab. */
const returnsToWorkbench = (): boolean => new URLSearchParams(location.search).get('then') === 'graphql';

function Console({ why, arrival }: { why: string; arrival: Arrival | undefined }) {
  const [signedIn, setSignedIn] = useState(isSignedIn());
  const [opened, setOpened] = useState(arrival);
  const [reason, setReason] = useState(why);
  const leave = useCallback((why: string) => {
    signOut();
    setReason(why);
    setSignedIn(false);
  }, []);
  const enter = () => {
    if (returnsToWorkbench()) return location.assign('/graphql');
    // The page of the e-mail has done its task; a reload should not require its link again.
    if (opened) history.replaceState(null, '', '/console');
    setOpened(undefined);
    setSignedIn(true);
  };
  if (opened) return <EmailLink arrival={opened} onSignedIn={enter} />;
  if (!signedIn) return <SignIn reason={reason} onSignedIn={enter} />;
  return <Home onSignedOut={leave} />;
}

function Home({ onSignedOut }: { onSignedOut: (why: string) => void }) {
  const [somebody, setSomebody] = useState<Somebody>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    readMyself().then(setSomebody, (error: Error) => (error instanceof SignedOut ? onSignedOut(error.message) : setProblem(error.message)));
  }, [onSignedOut]);
  if (!somebody) return <p role="alert">{problem}</p>;
  const pages = pagesOf(somebody);
  // An address of a page that is not for them leads to their first one.
  const page = pages.find(({ href }) => href === location.pathname) ?? pages[0];
  if (page?.href === '/console/imports') return <Imports links={somebody.links} pages={pages} onSignedOut={onSignedOut} />;
  if (page?.href === '/console/tickets') return <Tickets pages={pages} onSignedOut={onSignedOut} />;
  if (page?.href === '/console/review') return <Review pages={pages} onSignedOut={onSignedOut} />;
  if (page?.href === '/console/day') return <Day pages={pages} onSignedOut={onSignedOut} />;
  if (page?.href === '/console/settlements') return <SettlementsPage pages={pages} onSignedOut={onSignedOut} />;
  if (page?.href === '/console/reports') return <Reports pages={pages} onSignedOut={onSignedOut} />;
  if (page?.href === '/console/webhooks') return <Webhooks pages={pages} onSignedOut={onSignedOut} />;
  return <Welcome somebody={somebody} onSignedOut={() => onSignedOut('')} />;
}

/** The page of a report is for whoever has its link, signed in or not. It alone draws plots. */
const Report = lazy(() => import('./report/report.tsx').then(({ Report }) => ({ default: Report })));

const root = createRoot(document.getElementById('page')!);
if (location.pathname === '/console/report')
  root.render(
    <StrictMode>
      <Suspense>
        <Report />
      </Suspense>
    </StrictMode>,
  );
else
  void arriveFromProvider().then((why) => {
    const arrival = arriveByEmail();
    // A person who returns from a provider or is signed in already, and opened no link, goes to the console.
    const signedIn = isSignedIn() && !arrival?.token;
    if (signedIn && returnsToWorkbench()) return location.assign('/graphql');
    if (signedIn && arrival) history.replaceState(null, '', '/console');
    root.render(
      <StrictMode>
        <Console why={why} arrival={signedIn ? undefined : arrival} />
      </StrictMode>,
    );
  });
