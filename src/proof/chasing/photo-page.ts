import { escaped } from '../../platform/http/escaped.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import { clockTime, localDate } from '../../platform/time.ts';

/** The contents of the page of a link: the work that the picture is for, and nothing of money. */
export interface PhotoPage {
  job: string;
  /** Of the job, and of the times below. */
  zone: string;
  at: Date;
  sites: string[];
  /** Completed loads that lack their ticket. */
  loads: { id: string; name: string; at: Date }[];
  /** Pictures that came by this link. */
  photos: number;
  open: boolean;
}

/** The page of a link: a form, or what came of it. No script, nothing from elsewhere, and every name is text. */
export function photoPage({ job, zone, at, sites, loads, photos, open }: PhotoPage, language: Language): string {
  const say = (key: string, params?: Record<string, string | number>) => escaped(translate(language, key, params));
  const about = [`<p><b>${escaped(job)}</b>, ${localDate(at, zone)}</p>`, sites.length > 0 ? `<p>${escaped(sites.join(' → '))}</p>` : ''];
  const came = photos > 0 ? `<p>${say('photo_page_came', { count: photos })}</p>` : '';
  if (!open) return page(language, [...about, came, `<p>${say('photo_page_done')}</p>`]);
  const options = loads.map(
    ({ id, name, at: done }) => `<option value="${escaped(id)}">${escaped(name)}, ${clockTime(done, zone)}</option>`,
  );
  const choice =
    loads.length > 1
      ? `<label for="load">${say('photo_page_load')}</label><select id="load" name="load"><option value="">${say('photo_page_unknown_load')}</option>${options.join('')}</select>`
      : '';
  const form = `<form method="post" enctype="multipart/form-data">${choice}<label for="image">${say('photo_page_image')}</label><input id="image" name="image" type="file" accept="image/jpeg" required><button>${say('photo_page_send')}</button></form>`;
  return page(language, [...about, came, form]);
}

/** A page that only says something. */
export const notePage = (key: string, language: Language): string => page(language, [`<p>${escaped(translate(language, key))}</p>`]);

const page = (language: Language, parts: string[]): string => plainPage(language, translate(language, 'photo_page_title'), parts);
