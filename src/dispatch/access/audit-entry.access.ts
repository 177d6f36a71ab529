import { AuditEntry } from '../../platform/commands/audit.entity.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { ofOrderAtSites } from './at-sites.ts';

/** Types of records that are at no site. Everybody who may read the audit log reads the entries about them. */
const AT_NO_SITE = ['Account', 'Company', 'Department', 'Equipment', 'EquipmentType', 'IamRole', 'Label', 'M2MClient', 'Material', 'Rate']
  .concat(['Service', 'ServiceClass', 'TimeOff', 'User', 'UserSession'])
  .map((type) => `'${type}'`);
const ofJobAtSites = (jobId: string, p: string): string =>
  `exists (select 1 from job wj where wj.id = ${jobId} and ${ofOrderAtSites('wj.order_id', p)})`;

export const auditEntryAccess = defineAccess(AuditEntry, {
  sites: (t, p) => `case ${t}.subject_type when 'Site' then ${t}.subject_id = any(${p})
    when 'Order' then ${ofOrderAtSites(`${t}.subject_id`, p)}
    when 'Job' then ${ofJobAtSites(`${t}.subject_id`, p)}
    when 'Load' then exists (select 1 from load al where al.id = ${t}.subject_id and ${ofOrderAtSites('al.order_id', p)})
    when 'Ticket' then exists (select 1 from ticket ak where ak.id = ${t}.subject_id and ${ofOrderAtSites('ak.order_id', p)})
    else ${t}.subject_type in (${AT_NO_SITE.join(', ')}) end`,
});
