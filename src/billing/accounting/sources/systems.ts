import type { Application } from '../../../platform/application.ts';
import { publicUrl } from '../../../platform/public-url.ts';
import type { AccountingSource } from './accounting-source.ts';
import { fileSource } from './file-source.ts';
import { httpSource } from './http-source.ts';

/** The kinds of accounting systems, by their slug. */
export type AccountingSystem = 'file' | 'http';
export const SYSTEMS: Readonly<Record<AccountingSystem, AccountingSource>> = { file: fileSource, http: httpSource };
/** Those that take documents. */
export const PUSHING: readonly string[] = Object.entries(SYSTEMS).flatMap(([slug, { push }]) => (push ? [slug] : []));
export const isSystem = (slug: unknown): slug is AccountingSystem => typeof slug === 'string' && Object.hasOwn(SYSTEMS, slug);

/** Where the picture of a kind of system is, in OpenAPI spelling. */
export const PICTURE_PATH = '/accounting/systems/{slug}';
export const pictureUrl = (application: Application, slug: string): string =>
  publicUrl.of(application) + PICTURE_PATH.replace('{slug}', `${slug}.svg`);

const svg = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect width="64" height="64" rx="12" fill="#1f4e5f"/><g fill="none" stroke="#fff" stroke-width="4" stroke-linejoin="round">${content}</g></svg>`;

/** A square picture of each kind: a sheet of paper, and two ends that are connected. */
export const PICTURES: Readonly<Record<AccountingSystem, string>> = {
  file: svg('<path d="M18 10h20l10 10v34H18zM38 10v10h10M25 32h15M25 42h15"/>'),
  http: svg('<circle cx="18" cy="32" r="8"/><circle cx="46" cy="32" r="8"/><path d="M26 32h12"/>'),
};
