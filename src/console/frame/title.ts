import { useEffect } from 'react';

/** Sets the title of the page and its language, for screen readers. */
export function useTitle(title: string, language: string): void {
  useEffect(() => {
    document.title = title === 'Haulgate' ? title : `${title} - Haulgate`;
    document.documentElement.lang = language;
  }, [title, language]);
}
