import { Field, InputType } from 'type-graphql';
import type { TxContext } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { Length } from '../../platform/graphql/rules.ts';
import { connectionOf } from '../../platform/read/connection.ts';
import { defineFilters } from '../../platform/read/grammar.ts';
import { Label } from './label.entity.ts';
import { foundByName, masterMutations, masterQueries } from './master-data.resolver.ts';
import type { MasterKind } from './master-data.ts';
import { Department, Service, ServiceClass, TrafficControlPlan } from './named.entities.ts';

/** Characters of a name. */
const NAME = 255;
/** `Label-Create` of the contract: grey. */
const GREY = '#6B7280';

@InputType()
export class CreateDepartmentInput {
  @Field() @Length(1, NAME) name!: string;
}
@InputType()
export class UpdateDepartmentInput {
  @Field(() => String, { nullable: true }) @Length(1, NAME) name?: string | null;
}
@InputType()
export class CreateServiceClassInput extends CreateDepartmentInput {}
@InputType()
export class UpdateServiceClassInput extends UpdateDepartmentInput {}
@InputType()
export class CreateTrafficControlPlanInput extends CreateDepartmentInput {}
@InputType()
export class UpdateTrafficControlPlanInput extends UpdateDepartmentInput {}
@InputType()
export class CreateLabelInput {
  @Field() @Length(1, NAME) name!: string;
  @Field(() => String, { nullable: true, description: '`#RRGGBB`; by default, grey.' }) color?: string | null;
}
@InputType()
export class UpdateLabelInput {
  @Field(() => String, { nullable: true }) @Length(1, NAME) name?: string | null;
  @Field(() => String, { nullable: true, description: '`#RRGGBB`; null sets it to grey.' }) color?: string | null;
}

/** A name without outer blanks; null, which would clear it, is refused as an empty one. */
export function nameOf(given: string | null, model: string, items: ErrorItem[]): string {
  const name = given?.trim() ?? '';
  if (name === '') items.push({ model, field: 'name', key: 'required' });
  return name;
}

const named = <T extends { name: string }>(record: T, input: { name?: string | null }, model: string, items: ErrorItem[] = []): void => {
  if (input.name !== undefined) record.name = nameOf(input.name, model, items);
  if (items.length > 0) throw new Invalid(items);
};

const departments: MasterKind<Department, CreateDepartmentInput, UpdateDepartmentInput> & { entity: typeof Department } = {
  entity: Department,
  event: 'department',
  permissions: { create: 'create_department', edit: 'edit_department', delete: 'delete_department' },
  fill: (_tx, department, input) => named(department, input, 'Department'),
};

const serviceClasses: MasterKind<ServiceClass, CreateServiceClassInput, UpdateServiceClassInput> & { entity: typeof ServiceClass } = {
  entity: ServiceClass,
  event: 'service_class',
  permissions: { create: 'create_service_class', edit: 'edit_service_class', delete: 'delete_service_class' },
  fill: (_tx, serviceClass, input) => named(serviceClass, input, 'ServiceClass'),
};

const trafficControlPlans: MasterKind<TrafficControlPlan, CreateTrafficControlPlanInput, UpdateTrafficControlPlanInput> & {
  entity: typeof TrafficControlPlan;
} = {
  entity: TrafficControlPlan,
  event: 'traffic_control_plan',
  // DOMAIN has no separate permission for them: a plan is part of a project.
  permissions: { create: 'create_project', edit: 'edit_project', delete: 'delete_project' },
  fill: (_tx, plan, input) => named(plan, input, 'TrafficControlPlan'),
};

const labels: MasterKind<Label, CreateLabelInput, UpdateLabelInput> & { entity: typeof Label } = {
  entity: Label,
  event: 'label',
  permissions: { create: 'manage_labels', edit: 'manage_labels', delete: 'manage_labels' },
  fill(_tx, label, input) {
    const items: ErrorItem[] = [];
    if (input.color === null) label.color = GREY;
    label.color ??= GREY;
    if (typeof input.color === 'string') {
      if (/^#[0-9a-f]{6}$/i.test(input.color)) label.color = input.color.toUpperCase();
      else items.push({ model: 'Label', field: 'color', key: 'not_a_color' });
    }
    named(label, input, 'Label', items);
  },
  letGo: takeOff,
};

/** A label is attached, not referred to: it is removed from everything that has it. */
async function takeOff(tx: TxContext, label: Label): Promise<void> {
  for (const table of ['app_user', 'account', 'equipment'])
    await queryIn(
      tx.em,
      `update ${table} set label_ids = array_remove(label_ids, $1) where company_id = $2 and label_ids @> array[$1]::uuid[]`,
      [label.id, label.company.id],
    );
}

const TABLES = { department: 'Department', service_class: 'ServiceClass', label: 'Label', traffic_control_plan: 'TrafficControlPlan' };
export const namedKindKeys = Object.entries(TABLES).map(([table, model]) => defineUnique(`${table}_name_key`, { model, field: 'name' }));
export const serviceFilters = defineFilters(Service, { visible: { sql: (t, p) => `${t}.visible = ${p}`, cast: 'boolean' } });
export const namedKindLists = [Department, ServiceClass, Label, Service, TrafficControlPlan].flatMap(foundByName);

export const DepartmentQueries = masterQueries(Department, { one: 'department', many: 'departments', typeahead: 'departmentTypeahead' });
export const DepartmentMutations = masterMutations(departments, {
  create: { name: 'createDepartment', input: CreateDepartmentInput },
  update: { name: 'updateDepartment', input: UpdateDepartmentInput },
  discard: { name: 'deleteDepartment' },
});
export const ServiceClassQueries = masterQueries(ServiceClass, {
  one: 'serviceClass',
  many: 'serviceClasses',
  typeahead: 'serviceClassTypeahead',
});
export const ServiceClassMutations = masterMutations(serviceClasses, {
  create: { name: 'createServiceClass', input: CreateServiceClassInput },
  update: { name: 'updateServiceClass', input: UpdateServiceClassInput },
  discard: { name: 'deleteServiceClass' },
});
export const LabelQueries = masterQueries(Label, {
  one: 'label',
  many: 'labels',
  typeahead: 'labelTypeahead',
  permission: 'manage_labels',
});
export const LabelMutations = masterMutations(labels, {
  create: { name: 'createLabel', input: CreateLabelInput },
  update: { name: 'updateLabel', input: UpdateLabelInput },
  discard: { name: 'deleteLabel' },
});
export const ServiceConnection = connectionOf('Service', () => Service);
export const ServiceQueries = masterQueries(Service, {
  one: 'service',
  many: 'services',
  typeahead: 'serviceTypeahead',
  connection: ServiceConnection,
  offered: { visible: true },
});
export const TrafficControlPlanQueries = masterQueries(TrafficControlPlan, {
  one: 'trafficControlPlan',
  many: 'trafficControlPlans',
  typeahead: 'trafficControlPlanTypeahead',
});
export const TrafficControlPlanMutations = masterMutations(trafficControlPlans, {
  create: { name: 'createTrafficControlPlan', input: CreateTrafficControlPlanInput },
  update: { name: 'updateTrafficControlPlan', input: UpdateTrafficControlPlanInput },
  discard: { name: 'deleteTrafficControlPlan' },
});
