import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { hasDirective } from './wire.ts';

/** Where in an answer fields are left out while they are null (`@omitNull`). */
export interface OmittedNulls {
  /** Names of such fields in the object itself. */
  here: Set<string>;
  /** Fields with objects in which there are such fields. */
  inside: Map<string, OmittedNulls>;
}

/** Returns where a document says `@omitNull`; undefined when it does so nowhere. */
export function omittedNullsOf(document: DocumentNode): OmittedNulls | undefined {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  const [operation] = document.definitions as [OperationDefinitionNode];
  return inSelection(operation.selectionSet, fragments);
}

// Documents share their fragments, which are looked at once.
const known = new WeakMap<SelectionSetNode, { found: OmittedNulls | undefined }>();

function inSelection(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): OmittedNulls | undefined {
  const before = known.get(set);
  if (before) return before.found;
  let found: OmittedNulls | undefined;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      if (hasDirective(selection, 'omitNull')) found = merged(found, { here: new Set([key]), inside: new Map() });
      const inner = selection.selectionSet && inSelection(selection.selectionSet, fragments);
      if (inner) found = merged(found, { here: new Set(), inside: new Map([[key, inner]]) });
    } else {
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : fragments.get(selection.name.value)?.selectionSet;
      found = merged(found, inner && inSelection(inner, fragments));
    }
  }
  known.set(set, { found });
  return found;
}

/** Both together, in a new object: those of fragments are shared. */
function merged(a: OmittedNulls | undefined, b: OmittedNulls | undefined): OmittedNulls | undefined {
  if (!a || !b) return a ?? b;
  const inside = new Map(a.inside);
  for (const [key, inner] of b.inside) inside.set(key, merged(inside.get(key), inner)!);
  return { here: new Set([...a.here, ...b.here]), inside };
}

/** Leaves the nulls out of a result. They become undefined, which JSON does not write: that is faster than to delete them. */
export function omitNulls(result: unknown, omitted: OmittedNulls): void {
  if (typeof result !== 'object' || result === null) return;
  if (Array.isArray(result)) {
    for (const one of result) omitNulls(one, omitted);
    return;
  }
  const record = result as Record<string, unknown>;
  for (const key of omitted.here) if (record[key] === null) record[key] = undefined;
  for (const [key, inner] of omitted.inside) omitNulls(record[key], inner);
}
