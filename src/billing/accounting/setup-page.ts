import { escaped } from '../../platform/http/escaped.ts';
import { plainPage } from '../../platform/http/plain-page.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import { SYSTEMS } from './sources/systems.ts';

const page = (language: Language, parts: string[]): string => plainPage(language, translate(language, 'accounting_page_title'), parts);
const said = (language: Language, key: string): string => escaped(translate(language, key));

/** A page that only says something. */
export const notePage = (key: string, language: Language): string => page(language, [`<p>${said(language, key)}</p>`]);

/** The page that shows the public token. */
export const donePage = (publicToken: string, language: Language): string =>
  page(language, [`<p>${said(language, 'accounting_page_done')}</p>`, `<p><code>${escaped(publicToken)}</code></p>`]);

/** The form. @param problems keys of what was wrong with what was sent before; what was typed is not shown again, because it has secrets */
export function setUpPage(language: Language, problems: readonly string[] = []): string {
  const say = (key: string) => said(language, `accounting_page_${key}`);
  const input = (name: string, type = 'text') =>
    `<label for="${name}">${say(name)}</label><input id="${name}" name="${name}" type="${type}" autocomplete="off">`;
  const options = Object.keys(SYSTEMS)
    .toReversed()
    .map((slug) => `<option value="${slug}">${say(slug)}</option>`);
  const form = [
    `<label for="system">${say('system')}</label><select id="system" name="system">${options.join('')}</select>`,
    ...[input('name'), input('server', 'url'), input('token', 'password'), input('username'), input('password', 'password')],
    `<label for="lists">${say('lists')}</label><textarea id="lists" name="lists" rows="8"></textarea>`,
    `<button>${say('send')}</button>`,
  ];
  return page(language, [
    ...problems.map((key) => `<p role="alert">${said(language, key)}</p>`),
    `<form method="post">${form.join('')}</form>`,
  ]);
}
