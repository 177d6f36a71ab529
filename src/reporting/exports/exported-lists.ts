import { provided } from '../../platform/application.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import type { Archived } from '../../platform/read/past/archived.ts';
import type { ExportFormat } from './export-schedule.entity.ts';

/** A list of a company, and what is asked of it. */
export interface ExportedList {
  companyId: string;
  /** The part of its path after the company. */
  list: string;
  /** The query of its path. */
  query: string;
  format: ExportFormat;
}

/** The service that reads a list. */
export interface ExportReader {
  viewer: Viewer;
  language: Language;
}

/** The REST lists, which are exported as their clients get them. */
export interface ExportedLists {
  /** Whether there is such a list of a company. */
  has(list: string): boolean;
  /** @throws the error with which the list answers this query: Denied, Missing, Invalid with what is wrong in the query */
  check(ctx: Context, asked: ExportedList): Promise<void>;
  /** The name of its file, and its media type. */
  fileOf(asked: ExportedList): { name: string; type: string };
  /** Reads all of it from one snapshot, a part at a time. @returns what of it is archived, if something is @throws as `check` */
  export(
    reader: ExportReader,
    asked: ExportedList,
    write: (piece: string | Uint8Array, records: number) => Promise<void>,
  ): Promise<Omit<Archived, 'path'> | undefined>;
}

export const exportedLists = provided<ExportedLists>('lists that are exported');
