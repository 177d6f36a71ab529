import type { Somebody } from '../server/somebody.ts';
import { say } from '../words.ts';
import { Entry } from './entry.tsx';

/** For people who have nothing to do on these pages, such as drivers: it confirms that they are signed in, and as whom. */
export function Welcome({ somebody, onSignedOut }: { somebody: Somebody; onSignedOut: () => void }) {
  return (
    <Entry title="Haulgate">
      <p role="status">{say('signed_in_as', { name: somebody.name, company: somebody.company })}</p>
      <p>{say('nothing_here')}</p>
      <button type="button" onClick={onSignedOut}>
        {say('sign_out')}
      </button>
    </Entry>
  );
}
