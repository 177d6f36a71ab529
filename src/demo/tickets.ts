import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ref } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Load } from '../dispatch/model/load.entity.ts';
import { Decimal } from '../platform/decimal.ts';
import { newId } from '../platform/ids.ts';
import { fileStorage } from '../platform/storage/storage.ts';
import { Ticket } from '../proof/ticket.entity.ts';
import { isPictured } from './billing/billed-work.ts';
import type { DemoCompany } from './demo-company.ts';
import type { DemoNumbers } from './demo-work.ts';
import { TICKET_PICTURE } from './ticket-picture.ts';
import { CHASED, IMPORTED } from './week.ts';

const TARE = new Decimal('14.5');

/** The faults of tickets that nobody has approved, one after the other; the others are fine. */
const WRONG: ((ticket: Ticket, demo: DemoCompany) => void)[] = [
  (ticket) => Object.assign(ticket, { grossQuantity: ticket.grossQuantity?.plus('0.85') }),
  () => undefined,
  (ticket) => Object.assign(ticket, { ticketNumber: null }),
  (ticket) => Object.assign(ticket, { quantity: new Decimal('41.2'), grossQuantity: TARE.plus('41.2') }),
  (ticket, { materials }) => Object.assign(ticket, { material: ref(materials.at(-1)!), grossQuantity: ticket.grossQuantity?.plus('1.2') }),
  (ticket) => Object.assign(ticket, { imageId: null, imageName: null, imageSize: null, imageMimeType: null }),
  (ticket) => Object.assign(ticket, { flagged: true, notes: 'The driver says that the scale was out of order.' }),
];

/**
 * Persists a ticket for each completed load, approved where the load is, and stores the pictures of the others. Some are wrong in a way that their
 * review finds. The caller flushes.
 * @returns the tickets, and the loads that are to be reviewed
 */
export async function makeDemoTickets(
  em: EntityManager,
  demo: DemoCompany,
  { worked, chained }: Pick<DemoNumbers, 'worked' | 'chained'>,
): Promise<{ tickets: Ticket[]; toReview: Load[] }> {
  const tickets: Ticket[] = [];
  const toReview: Load[] = [];
  let open = 0;
  for (const { order, job, loads, from } of [...worked, ...chained]) {
    const isChained = chained.some((one) => one.job === job);
    if (order.number === IMPORTED + 1) continue;
    for (const load of loads) {
      const served = load.loadSummary.loadedAt;
      if (load.state !== 'completed' || !load.quantity || !served) continue;
      if (!load.billingApprovedAt && !isChained) toReview.push(load);
      if (order.number === CHASED.order && job.number === CHASED.job && load.ordinality === loads.length) continue;
      const approved = Boolean(load.billingApprovedAt) || isChained;
      const ticket = Object.assign(new Ticket(), {
        ...{ company: ref(demo.parent), order: ref(order), job: ref(job), load: ref(load), state: approved ? 'approved' : 'pending' },
        ...{ ticketNumber: `T-${4000 + tickets.length + 1}`, quantity: load.quantity, unitOfMeasure: 'Ton', serviceDate: served },
        ...{
          grossQuantity: load.quantity.plus(TARE),
          tareQuantity: TARE,
          weighedBy: 'J. Sample',
          material: load.material,
          site: ref(from),
        },
        createdAt: load.loadSummary.loadCompletedAt ?? served,
        equipment: job.equipment,
        // An approved ticket came from the scale, which keeps its pictures itself.
        ...(approved && !isPictured(order.number)
          ? { foreignImageUrl: `https://scale.demo.haulgate.example/tickets/${4000 + tickets.length + 1}.jpg` }
          : picture()),
      });
      if (!approved) WRONG[open++]?.(ticket, demo);
      em.persist(ticket);
      tickets.push(ticket);
    }
  }
  const storage = fileStorage.of(em);
  await Promise.all(tickets.flatMap(({ imageId }) => (imageId ? [store(imageId)] : [])));
  return { tickets, toReview };

  async function store(key: string): Promise<void> {
    const path = join(tmpdir(), `haulgate-demo-${key}`);
    await writeFile(path, TICKET_PICTURE);
    await storage.keep(key, path, { size: TICKET_PICTURE.length, mimeType: 'image/jpeg' });
  }
}

const picture = () => ({
  imageId: newId(),
  imageName: 'ticket.jpg',
  imageSize: TICKET_PICTURE.length,
  imageMimeType: 'image/jpeg',
});
