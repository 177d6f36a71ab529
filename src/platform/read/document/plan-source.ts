import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Plans } from '../plan-cache.ts';
import type { Connecting } from '../run.ts';
import { decidingVariables, type Operation } from '../selection.ts';

/** The facts on which the plans of a place in a document depend. */
export interface PlanSource {
  conditions: string[];
  plans: Plans;
  /** Where else in the document the field is selected. */
  places: string;
  /** Reads whose selection has no nested lists, so that the next ones need not look for them. */
  listless: Set<string>;
  /** The requested parts of connections, by the same keys. */
  connections: Map<string, Connecting>;
}
/** More than a document has, unless its variables decide about many fields. */
export const MOST_LISTLESS = 100;
const sources = new WeakMap<FieldNode, PlanSource>();

/**
 * A field may be selected in several places, in fragments: operations of one document, and runs with other variables, then share the first
 * place, and not the others. The plans are kept with the first place.
 */
export function sourceOf(info: Pick<GraphQLResolveInfo, 'fieldNodes'>, operation: Operation): PlanSource {
  const [node, ...more] = info.fieldNodes as [FieldNode, ...FieldNode[]];
  let source = sources.get(node);
  if (!source) {
    source = {
      conditions: decidingVariables([node], operation.fragments),
      plans: new Map(),
      places: '',
      listless: new Set(),
      connections: new Map(),
    };
    sources.set(node, source);
  }
  if (more.length === 0) return source;
  const conditions = decidingVariables(info.fieldNodes, operation.fragments);
  return { ...source, conditions, places: more.map(({ loc }) => loc?.start).join() };
}

/** The requested parts of a connection, read of the document once unless its variables may decide how it is counted. @param selected as of `listless` */
export function connectionOf({ connections }: PlanSource, selected: string, read: () => Connecting): Connecting {
  const known = connections.get(selected);
  if (known) return known;
  const connection = read();
  if (!connection.count && connections.size < MOST_LISTLESS) connections.set(selected, connection);
  return connection;
}
