import { Field } from 'type-graphql';
import type { Application } from '../application.ts';
import { type Registration, registration } from '../registration.ts';
import { type AtSites, noteOpening, type OfPerson, type Shown, type TenantSpec, type Visibility } from './visibility.ts';

/** A condition between a child's alias and its parent's; `companies` is the uuid[] of companies the read acts for. */
export type OnSpec = (child: string, parent: string, companies: string) => string;

/** A row as the planner gives it: plain values under field names. */
export type PlannedRow = Record<string, unknown>;
/** A class known later; entities of a room point at each other. */
export type Later<T = unknown> = () => abstract new () => T;

export type ManySpec =
  | { kind: 'many'; type: Later; local: string; foreign: string; order?: Record<string, 'asc' | 'desc'>; site?: string }
  | { kind: 'ids'; type: Later; ids: string }
  /** With `on`, the children may be of any company: the reader sees those of theirs. */
  | { kind: 'paged'; type: Later; foreign: string; on?: undefined }
  | { kind: 'paged'; type: Later; foreign?: undefined; on: OnSpec }
  | { kind: 'back'; type: Later; foreign: string }
  | { kind: 'on'; type: Later; on: OnSpec; single: boolean };

/**
 * `compute` gets the application, too, for values that its settings decide, such as addresses. `ones` maps each field of the computed object that
 * holds a record to the relation it comes from. The relation is loaded before `compute` runs.
 */
export type ComputedSpec =
  | { columns: string[]; compute: (row: PlannedRow, application: Application) => unknown; ones?: Record<string, string> }
  | { sql: (t: string) => string }
  | { figures: Figures; column: string }
  | { path: string };

/**
 * Counts and sums over the records that hang on a row, which are read once for all fields that are computed of them: each such field is a
 * column.
 */
export interface Figures {
  /** Names them among the figures of an entity. */
  name: string;
  /** A `select` of one row, for the row of table `t`. */
  sql: (t: string) => string;
  /** The same as joins of whole tables, for reads of many rows: their aliases begin with `a`. */
  joined?: { joins: (t: string, a: string) => string; columns: (a: string) => Readonly<Record<string, string>> };
}

interface ReadSpec {
  many: Map<string, ManySpec>;
  computed: Map<string, ComputedSpec>;
  masked: Map<string, MaskSpec>;
  requiredColumns: Map<string, string[]>;
  tenant?: TenantSpec;
  atSites?: AtSites;
  ofPerson?: OfPerson;
  allBy?: string;
  shown?: Shown;
}

const specs = new Map<Function, ReadSpec>();
/** The results of `readSpecOf` since the last declaration. */
const merged = new Map<Function, ReadSpec>();

const declared = (target: Function): ReadSpec => {
  merged.clear();
  let spec = specs.get(target);
  if (!spec) {
    spec = { many: new Map(), computed: new Map(), masked: new Map(), requiredColumns: new Map() };
    specs.set(target, spec);
  }
  return spec;
};

/** The declarations of a class and its ancestors. */
export function readSpecOf(target: Function): ReadSpec {
  let spec = merged.get(target);
  if (!spec) {
    spec = mergedSpecOf(target);
    merged.set(target, spec);
  }
  return spec;
}

function mergedSpecOf(target: Function): ReadSpec {
  const merged: ReadSpec = { many: new Map(), computed: new Map(), masked: new Map(), requiredColumns: new Map() };
  for (let at: Function | null = target; at && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    const spec = specs.get(at);
    if (!spec) continue;
    for (const name of ['many', 'computed', 'masked', 'requiredColumns'] as const) {
      for (const [key, value] of spec[name]) if (!merged[name].has(key)) (merged[name] as Map<string, unknown>).set(key, value);
    }
    merged.tenant ??= spec.tenant;
    merged.atSites ??= spec.atSites;
    merged.ofPerson ??= spec.ofPerson;
    merged.allBy ??= spec.allBy;
    merged.shown ??= spec.shown;
  }
  return merged;
}

/**
 * A plain list: children whose `foreign` column equals the parent's `local` column, children by a uuid[] column in its order, or
 * children that meet a condition on both aliases.
 */
export const Many =
  (
    type: Later,
    /** `site` names the relation by which people who are limited to sites see those at their sites only. */
    by: { local: string; foreign: string; order?: Record<string, 'asc' | 'desc'>; site?: string } | { ids: string } | { on: OnSpec },
  ): PropertyDecorator =>
  (target, key) => {
    const spec: ManySpec =
      'ids' in by
        ? { kind: 'ids', type, ids: by.ids }
        : 'on' in by
          ? { kind: 'on', type, on: by.on, single: false }
          : { kind: 'many', type, ...by };
    declared(target.constructor).many.set(String(key), spec);
    Field(() => [type() as never])(target, key);
  };

/** The newest child that meets a condition, or null. */
export const Single =
  (type: Later, by: { on: OnSpec }): PropertyDecorator =>
  (target, key) => {
    declared(target.constructor).many.set(String(key), { kind: 'on', type, on: by.on, single: true });
    Field(() => type() as never, { nullable: true })(target, key);
  };

/** A connection of children with page, filter, sort and search arguments of their type. */
export const Paged =
  (type: Later, by: { foreign: string }): PropertyDecorator =>
  (target, key) => {
    declared(target.constructor).many.set(String(key), { kind: 'paged', type, foreign: by.foreign });
  };

export const Computed =
  (spec: ComputedSpec): PropertyDecorator =>
  (target, key) => {
    declared(target.constructor).computed.set(String(key), spec);
  };

export interface MaskSpec {
  /** Everybody of the record's own company sees the value by default. */
  permission?: string;
  /**
   * The relation whose person sees the value with `<permission>:own`. A driver sees their own pay, which work of another company does not
   * show. With `sides`, in addition to them.
   */
  holder?: string;
  /** The permission of the holder, if it is not `permission`. */
  holds?: string;
  /**
   * Instead of the record's company: columns that name companies, with the permission that each company's people must have, or null for
   * none.
   */
  sides?: Record<string, string | null>;
  /** In addition to `sides`: SQL of the rows whose value is shown to everybody who sees the row. */
  open?: ((t: string) => string) | undefined;
  /** In addition: a permission without which nobody sees the value, of the rows of which its SQL is true. */
  also?: { permission: string; of: (t: string) => string };
  /** In addition: null to a viewer who is limited to sites, unless one of them is the relation's. */
  site?: true;
  /** In addition: shown only to viewers who see all work of the company, and to the person that the record is. */
  whole?: true;
  /** The value for viewers who may not see the real one; null by default, or an empty list. */
  instead?: unknown;
}

/** Whether a mask shows a value to nobody but people of the record's own company, whatever else it asks. */
export const showsOwnCompanyOnly = (mask: MaskSpec): boolean => !mask.sides && !(mask.site && Object.keys(mask).length === 1);

/** Masks of an entity's fields, one line for each mask: `[internal(), 'notes', 'externalId']`. */
export type Masks<T> = readonly (readonly [MaskSpec, ...(keyof T & string)[]])[];

/** Null unless the viewer has the permission, on records of its own companies (DOMAIN section 2: rate visibility). */
export const masked = (permission: string, more: Omit<MaskSpec, 'permission'> = {}): MaskSpec => ({ permission, ...more });

/** Null, or `instead`, on records that were passed on from another company: what is written there is its own affair. */
export const internal = (more: Pick<MaskSpec, 'instead' | 'whole'> = {}): MaskSpec => more;

/**
 * Null to everybody except the people of the companies that the columns name: one side's values of a record with several sides. @param open
 * see `MaskSpec`
 */
export const onlyFor = ({ columns, open }: { columns: readonly string[]; open?: MaskSpec['open'] }): MaskSpec => ({
  sides: Object.fromEntries(columns.map((column) => [column, null])),
  open,
});

/** A site that is null to people who are limited to other sites. */
export const openSite = (): MaskSpec => ({ site: true });

/** Columns that a resolver method reads in addition to what was selected. */
export const RequiresColumns =
  (columns: string[]): MethodDecorator =>
  (target, key) => {
    declared(target.constructor).requiredColumns.set(String(key), columns);
  };

/** Rows of one company: lists and reads carry the visibility predicate. What else makes a row visible is in the entity's access. */
export const Tenant = (): ClassDecorator => (target) => {
  declared(target).tenant ??= {};
};

/**
 * Puts what an access says about rows and masks into effect, for the read planner and for `find`.
 * @throws Error at boot if two rooms say different things about the same rows
 */
export function declareVisibility(
  target: Function,
  { subcontracted, shared, sites, ownRecords, allBy, shown }: Visibility,
  masks: Masks<never> = [],
): void {
  const spec = declared(target);
  const once = <V>(what: string, known: V | undefined, given: V | undefined): V | undefined => {
    if (known && given && known !== given) throw new Error(`${target.name}: ${what} is said by two accesses`);
    return given ?? known;
  };
  if (subcontracted || shared)
    spec.tenant = {
      subcontracted: once('subcontracted', spec.tenant?.subcontracted, subcontracted),
      shared: once('shared', spec.tenant?.shared, shared),
    };
  spec.atSites = once('sites', spec.atSites, sites);
  spec.ofPerson = once('ownRecords', spec.ofPerson, ownRecords);
  spec.allBy = once('allBy', spec.allBy, allBy);
  if (allBy) noteOpening(allBy);
  spec.shown = once('shown', spec.shown, shown);
  for (const [mask, ...fields] of masks) for (const field of fields) spec.masked.set(field, mask);
}

/** A field that a higher room adds to a type of a lower one; the schema part is a resolver of the higher room. */
export type Extension =
  | { one: Later; foreign: string }
  | { many: Later; foreign: string; order?: Record<string, 'asc' | 'desc'> }
  /** The newest child that meets a condition. */
  | { single: Later; on: OnSpec }
  /** The children that meet a condition, the oldest first. */
  | { list: Later; on: OnSpec }
  /** A connection of children that meet a condition. */
  | { paged: Later; on: OnSpec }
  /** By a uuid[] column; `internal` ones are empty on records of other companies. */
  | { ids: string; type: Later; internal?: true }
  | { columns: string[] }
  /** By SQL; `internal` ones are null there. */
  | { sql: (t: string) => string; internal?: true };

/** Adds relations to a lower room's type: `extendEntity(Load, { ticket: { one: () => Ticket, foreign: 'load' } })`. */
export const extendEntity = (target: Function, extensions: Record<string, Extension>): Registration =>
  registration('extendEntity', target.name, () => {
    for (const [name, extension] of Object.entries(extensions)) {
      if ('ids' in extension) {
        declared(target).many.set(name, { kind: 'ids', type: extension.type, ids: extension.ids });
        if (extension.internal) declared(target).masked.set(name, {});
      } else if ('single' in extension)
        declared(target).many.set(name, { kind: 'on', type: extension.single, on: extension.on, single: true });
      else if ('list' in extension) declared(target).many.set(name, { kind: 'on', type: extension.list, on: extension.on, single: false });
      else if ('paged' in extension) declared(target).many.set(name, { kind: 'paged', type: extension.paged, on: extension.on });
      else if ('columns' in extension) declared(target).requiredColumns.set(name, extension.columns);
      else if ('sql' in extension) {
        declared(target).computed.set(name, { sql: extension.sql });
        if (extension.internal) declared(target).masked.set(name, {});
      } else if ('one' in extension) declared(target).many.set(name, { kind: 'back', type: extension.one, foreign: extension.foreign });
      else
        declared(target).many.set(name, {
          kind: 'many',
          type: extension.many,
          local: 'id',
          foreign: extension.foreign,
          order: extension.order,
        });
    }
  });
