import { type FormEvent, type ReactNode, useState } from 'react';
import { enterWith, requestEmail } from '../server/session.ts';
import { say, type Word } from '../words.ts';
import { Entry } from './entry.tsx';

/** A page that the link of an e-mail opens. */
interface EmailPage {
  /** The name of the token, in the link behind its # and in the request. */
  token: 'magic_links_token' | 'password_reset_token';
  login: string;
  /** True if a password is chosen. */
  choosing: boolean;
  spent: Word;
  title: Word;
  text: Word;
  act: Word;
  /** Without a token: how to get one. */
  lost: { title: Word; text: Word; ask?: string };
}

const PAGES: Record<string, EmailPage> = {
  'sign-in': {
    token: 'magic_links_token',
    login: '/v1/auth/magic_link/login',
    choosing: false,
    spent: 'spent_link',
    title: 'link_title',
    text: 'link_text',
    act: 'sign_in',
    lost: { title: 'link_ask_title', text: 'link_ask_text', ask: '/v1/auth/magic_link' },
  },
  'reset-password': {
    token: 'password_reset_token',
    login: '/v1/auth/reset_password',
    choosing: true,
    spent: 'spent_link',
    title: 'reset_title',
    text: 'reset_text',
    act: 'save_password',
    lost: { title: 'reset_ask_title', text: 'reset_ask_text', ask: '/v1/auth/forgot_password' },
  },
  'sign-up': {
    token: 'magic_links_token',
    login: '/v1/auth/signup',
    choosing: true,
    spent: 'spent_invitation',
    title: 'sign_up_title',
    text: 'sign_up_text',
    act: 'save_password',
    lost: { title: 'sign_up_title', text: 'sign_up_lost' },
  },
};

export interface Arrival {
  page: EmailPage;
  /** Empty if somebody came without a link. */
  token: string;
}

/** Returns the page of the address, with the token of its link. The token is removed from the address, and so from the history, at once. */
export function arriveByEmail(): Arrival | undefined {
  const page = PAGES[location.pathname.replace(/^\/console\/|\/$/g, '')];
  if (!page) return undefined;
  const token = new URLSearchParams(location.hash.slice(1)).get(page.token) ?? '';
  if (token) history.replaceState(null, '', location.pathname);
  return { page, token };
}

/** Uses the link, or requests one. */
export function EmailLink({ arrival: { page, token }, onSignedIn }: { arrival: Arrival; onSignedIn: () => void }) {
  const [spent, setSpent] = useState(false);
  if (token && !spent) return <UseLink page={page} token={token} onSignedIn={onSignedIn} onSpent={() => setSpent(true)} />;
  const { title, text, ask } = page.lost;
  return (
    <Entry title={say(title)}>
      {spent && <p role="alert">{say(page.spent)}</p>}
      {ask ? <AskForLink text={text} ask={ask} /> : !spent && <p>{say(text)}</p>}
      <p className="ways">
        <a href="/console">{say('by_password')}</a>
      </p>
    </Entry>
  );
}

/**
 * Nothing happens until a button is pressed: programs that check mails open their links, and people should know that they are about to be
 * signed in.
 */
function UseLink(props: { page: EmailPage; token: string; onSignedIn: () => void; onSpent: () => void }) {
  const { page, token } = props;
  const [shown, setShown] = useState(false);
  return (
    <Entry title={say(page.title)}>
      <p id="about">{say(page.text)}</p>
      <Act
        label={say(page.act)}
        act={async (form) => {
          const refused = say(page.spent);
          try {
            const password = page.choosing ? { password: String(form.get('password')) } : {};
            await enterWith(page.login, { [page.token]: token, ...password }, refused);
          } catch (error) {
            if ((error as Error).message === refused) return props.onSpent();
            throw error;
          }
          props.onSignedIn();
        }}
      >
        {page.choosing && (
          <>
            <label>
              {say('new_password')}
              <input name="password" type={shown ? 'text' : 'password'} autoComplete="new-password" aria-describedby="hint" required />
            </label>
            <p id="hint">{say('password_hint')}</p>
            <label className="check">
              <input type="checkbox" checked={shown} onChange={(event) => setShown(event.target.checked)} />
              {say('show_password')}
            </label>
          </>
        )}
      </Act>
    </Entry>
  );
}

function AskForLink({ text, ask }: { text: Word; ask: string }) {
  const [sent, setSent] = useState(false);
  return (
    <>
      <p>{say(text)}</p>
      <Act
        label={say('send')}
        act={async (form) => {
          setSent(false);
          await requestEmail(ask, String(form.get('email')));
          setSent(true);
        }}
      >
        <label>
          {say('email')}
          <input name="email" type="email" autoComplete="username" required />
        </label>
      </Act>
      <p role="status">{sent ? say('sent') : ''}</p>
    </>
  );
}

/** A form with one button. It waits for its action, and shows the error if it fails. */
function Act({ label, act, children }: { label: string; act: (form: FormData) => Promise<void>; children: ReactNode }) {
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    try {
      await act(new FormData(event.currentTarget));
      setProblem('');
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      {children}
      <p role="alert">{problem}</p>
      <button type="submit" disabled={busy}>
        {label}
      </button>
    </form>
  );
}
