import type { TxContext } from '../../platform/commands/transact.ts';
import { isInUse } from '../../platform/database/former-ids.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Order } from '../model/order.entity.ts';
import type { Project } from '../model/project.entity.ts';

/** The owner of parts. Stops, phases and contacts are rows of their own, which the unit of work does not audit. */
export interface PartOwner {
  type: 'Order' | 'Project';
  id: string;
  companyId: string;
}
type Parts = Record<string, unknown>;

/**
 * Remembers the stops, phases and contacts of an order or a project. The function that it returns is called after the flush, and notes the
 * differences under `waypoints`, `phases`, `sales_contact` and so on in the record's audit row: timelines show them, and imports keep what
 * people changed. The record changes with its parts, so `updated_at` and `version` move.
 */
export async function watchParts(tx: TxContext, type: PartOwner['type'], record: Order | Project): Promise<() => Promise<void>> {
  const owner: PartOwner = { type, id: record.id, companyId: record.company.id };
  const before = await partsOf(tx, owner);
  return async () => {
    const after = await partsOf(tx, owner);
    const changes: Record<string, [unknown, unknown]> = {};
    for (const part of Object.keys(before)) {
      if (JSON.stringify(before[part]) !== JSON.stringify(after[part])) changes[part] = [before[part], after[part]];
    }
    if (Object.keys(changes).length === 0) return;
    const own = tx.tx.audits.find(({ event, type, id }) => event === 'update' && type === owner.type && id === owner.id);
    if (own) Object.assign(own.changes, changes);
    else {
      tx.tx.audits.push({ event: 'update', ...owner, changes });
      record.updatedAt = tx.tx.now;
    }
  };
}

const TABLES = { Order: ['orders', 'order_id'], Project: ['project', 'project_id'] } as const;
const CONTACTS = ['sales', 'foreman', 'supervisor', 'collaborator'] as const;

async function partsOf(tx: TxContext, { type, id }: PartOwner): Promise<Parts> {
  const [table, link] = TABLES[type];
  const totals = `(select coalesce(json_agg(json_build_object('id', m.id, 'material_id', m.material_id, 'total_quantity', m.total_quantity::text,
      'unit_of_measure', m.unit_of_measure) order by m.created_at, m.id), '[]') from project_material m where m.project_id = o.id
        and ${isInUse('m.material_id')}) as project_material_totals`;
  const contacts = CONTACTS.map(
    (kind) =>
      `(select json_build_object('name', c.name, 'email', c.email, 'phone', c.phone) from contact c where c.id = o.${kind}_contact_id) as ${kind}_contact`,
  );
  const [parts] = await queryIn<Parts>(
    tx.em,
    `select ${[...contacts, ...(type === 'Project' ? [totals] : [])].join(', ')},
       (select coalesce(json_agg(json_build_object('id', w.id, 'type', w.type, 'ordinality', w.ordinality, 'site_id', w.site_id, 'contact_id', w.contact_id)
          order by w.ordinality, w.id), '[]') from waypoint w where w.route_id = o.route_id) as waypoints,
       (select coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'code', p.code, 'primary', p."primary")
          order by p.created_at, p.id), '[]') from phase p where p.${link} = o.id) as phases
     from ${table} o where o.id = $1`,
    [id],
  );
  return parts ?? {};
}
