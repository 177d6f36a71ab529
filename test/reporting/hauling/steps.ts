import { newOrder, OFFICE, type Step } from './office-steps.ts';
import { PROOF } from './proof-steps.ts';
import { ROAD } from './road-steps.ts';
import { by, type Dice, dayAfter, instant, type Scene } from './scene.ts';

/** What people and programs do, by what it is called. */
export const STEPS: Readonly<Record<string, Step>> = { ...OFFICE, ...ROAD, ...PROOF };
export const NAMES = Object.keys(STEPS);
/** What happens more often than the rest: without work on the road nothing is proven. */
export const OFTEN = [
  ...['make an order', 'accept an order', 'assign a driver', 'send a job', 'send jobs'],
  ...['go on', 'go on', 'go on', 'haul a load', 'haul a load', 'haul a load', 'drive', 'drive', 'complete a job', 'go on duty'],
  ...['make a ticket', 'make a ticket', 'import tickets', 'approve a load', 'approve a job'],
];

/** The day begins: everybody is on duty, and has work. */
export async function begin(scene: Scene, dice: Dice): Promise<void> {
  for (const driver of scene.drivers) {
    await driver.must('PUT', '/v1/users/me/driver_day/on_duty', { occurred_at: instant(scene, 1) });
    const order = { ...newOrder(scene, dice), load_at: dayAfter(scene, 0), driver_id: driver.id, truck_count: 1 };
    const { body } = await by(scene, 'POST', '/orders', order);
    await scene.at.admin.must('PUT', scene.at.path(`/orders/${body.data.id}/accept`), {});
    for (const { id } of await scene.at.admin.must('GET', scene.at.path(`/orders/${body.data.id}/jobs`))) {
      await scene.at.admin.must('PUT', scene.at.path(`/jobs/${id}/request`), {});
      await driver.must('PUT', `/v1/jobs/${id}/accept`, {});
    }
  }
}
