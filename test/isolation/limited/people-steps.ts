import { by, type Dice, limit, type Member, type Scene, signInAgain } from './scene.ts';
import type { Step } from './work-steps.ts';

const TOGGLES = ['dispatcher_sees_customer_rates', 'dispatcher_sees_vendor_rates', 'dispatcher_sees_driver_rates'];
/** Drivers stay drivers: who works in the office as well sees all of the work, and of the money their own pay. */
const OF_DRIVERS = [['Driver'], ['Driver'], ['Driver', 'Foreman'], ['Driver', 'Loader'], ['Driver', 'Dispatcher']];
const OF_OTHERS = [['Foreman'], ['Foreman'], ['Loader'], ['Dispatcher'], ['Biller'], ['Manager'], ['IT Admin'], ['Controller', 'Foreman']];

const anybody = ({ members }: Scene, dice: Dice): Member => dice.of(members.filter(({ fixed }) => !fixed));

const setRoles: Step = async (scene, dice) => {
  const member = anybody(scene, dice);
  const names = dice.of(scene.drivers.includes(member) ? OF_DRIVERS : OF_OTHERS);
  return by(scene, 'PATCH', `/v1/users/${member.id}`, { iam_role_ids: names.map((name) => scene.roles.get(name)) });
};

const lift: Step = async (scene, dice) => {
  const member = anybody(scene, dice);
  const scopes = await scene.at.admin.must('GET', `/v1/users/${member.id}/resource_scopes`);
  return scopes.length === 0 ? undefined : by(scene, 'DELETE', `/v1/resource_scopes/${dice.of<{ id: string }>(scopes).id}`);
};

const leave: Step = async (scene, dice) => {
  const member = anybody(scene, dice);
  if (!member.here) return undefined;
  const sent = await by(scene, 'DELETE', `/v1/users/${member.id}`);
  if (sent.status < 300) member.here = false;
  return sent;
};
const comeBack: Step = async (scene) => {
  const member = scene.members.find(({ here }) => !here);
  if (!member) return undefined;
  const sent = await by(scene, 'PUT', `/v1/users/${member.id}/reactivate`, {});
  if (sent.status < 300) await signInAgain(scene, member);
  return sent;
};

/** Two sites become one, for a while: who is limited to one of them is limited to the one that stays. */
const merge: Step = async (scene, dice) => {
  const [kept, other] = [dice.of(scene.sites), dice.of(scene.sites)];
  if (kept === other || scene.merges.length > 0) return undefined;
  const sent = await by(scene, 'PUT', `/sites/${kept}/merge`, { other_ids: [other] });
  if (sent.status === 200) scene.merges.push(sent.body.data.id);
  return sent;
};
const undoMerge: Step = async (scene) => {
  const id = scene.merges.pop();
  return id === undefined ? undefined : by(scene, 'PUT', `/merges/${id}/undo`, {});
};

/** What changes what people may see, by what it is called. */
export const PEOPLE: Readonly<Record<string, Step>> = {
  'change roles': setRoles,
  'limit somebody to a site': (scene, dice) => limit(scene, anybody(scene, dice), dice.of(scene.sites)),
  'lift a limit': lift,
  'let somebody go': leave,
  'have somebody back': comeBack,
  'show dispatchers money': (scene, dice) =>
    by(scene, 'PATCH', '/permission_toggles', Object.fromEntries(TOGGLES.map((name) => [name, dice.chance(0.5)]))),
  'merge sites': merge,
  'undo a merge': undoMerge,
};
