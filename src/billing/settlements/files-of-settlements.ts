import { attachingTo, filesOfKind } from '../../dispatch/attachments/attachment.resolver.ts';
import { defineAttachable } from '../../files/attachable.ts';
import { READERS } from '../invoices/read-invoice.ts';
import { settlementAtSites, settlementOfPerson } from './settlement.access.ts';
import { Settlement } from './settlement.entity.ts';

const isWith = (id: string, condition: (t: string) => string): string =>
  `exists (select 1 from settlement sf where sf.id = ${id} and ${condition('sf')})`;

/** Files are attached to settlements, for those who read them. */
export const settlementFiles = defineAttachable('Settlement', {
  entity: Settlement,
  readers: READERS,
  atSites: (id, p) => isWith(id, (t) => settlementAtSites(t, p)),
  ofPerson: (id, p) => isWith(id, (t) => settlementOfPerson(t, p)),
});

export const FilesOfSettlements = [filesOfKind('Settlement', 'Files of a settlement.', READERS), attachingTo('Settlement', READERS)];
