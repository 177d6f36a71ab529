import { provided } from './application.ts';

/** The address under which clients reach this application, without a slash at its end. */
export const publicUrl = provided<string>('public URL');

/** The address as an operator writes it, without slashes at its end. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
