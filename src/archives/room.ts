import { growsOnly } from '../platform/database/scope.ts';
import { ARCHIVING, archivesReserved } from './archive-purpose.ts';

/** The ways in which the room acts across companies; requests only read what is archived, and what is kept of it. */
export const purposes = [ARCHIVING, archivesReserved, growsOnly('archive_piece', 'audit_kept')];

/** The room has no fields of the interface: what is archived is reported with the lists of other rooms. */
export const resolvers: Function[] = [];
