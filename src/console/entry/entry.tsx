import type { ReactNode } from 'react';
import { useTitle } from '../frame/title.ts';
import { language } from '../words.ts';

/** A page for somebody who is not signed in yet, in their language. */
export function Entry({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title, language);
  return (
    <main className="sign-in">
      <h1>{title}</h1>
      {children}
    </main>
  );
}
