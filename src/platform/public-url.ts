import { provided } from './application.ts';

/** The address under which clients reach this application, without a slash at its end. */
export const publicUrl = provided<string>('public URL');

/** The address as an operator writes it, without slashes at its end. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** The query parameter of an URL that opens what it names to everybody who has the URL. */
export const SIGNATURE = 'signature';
