import { type ReactNode, useEffect } from 'react';
import { language } from './words.ts';

/** A page for somebody who is not signed in yet, in their language. */
export function Entry({ title, children }: { title: string; children: ReactNode }) {
  usePage(title, language);
  return (
    <main className="sign-in">
      <h1>{title}</h1>
      {children}
    </main>
  );
}

/** Sets the title of the page and its language, for screen readers. */
export function usePage(title: string, language: string): void {
  useEffect(() => {
    document.title = title === 'Haulgate' ? title : `${title} - Haulgate`;
    document.documentElement.lang = language;
  }, [title, language]);
}
