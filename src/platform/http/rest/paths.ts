import type { RestOperation } from './operation.ts';
import type { Problem } from './problems.ts';

/** The parameters of a path, in order: `/v1/orders/{order-id}/loads` -> `['order-id']`. */
export function pathParams(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] as string);
}

/** `/v1/orders/{order-id}` -> `/v1/orders/{}`: the same for all paths that name the same, whatever each calls its parameters. */
export const withoutNames = (path: string): string => path.replace(/\{[^{}]*\}/g, '{}');

/** `/v1/orders` -> `/v1/companies/{company-id}/orders`. */
export function scopedPathOf(path: string): string {
  return path.replace(/^(\/v\d+)\//, '$1/companies/{company-id}/');
}

/** Every path an operation is served under. */
export function pathsOf(operation: RestOperation): string[] {
  return operation.scopedPath === undefined ? [operation.path] : [operation.path, operation.scopedPath];
}

/** Adds a problem for every method and path that two operations claim. */
export function checkPaths(operations: RestOperation[], problems: Problem[]): void {
  const owners = new Map<string, RestOperation>();
  for (const operation of operations) {
    for (const path of pathsOf(operation)) {
      const route = `${operation.method} ${withoutNames(path)}`;
      const owner = owners.get(route);
      if (owner)
        problems.push({
          file: operation.file,
          line: operation.line,
          column: 1,
          message: `${operation.method} ${path} is already served by ${owner.file}:${owner.line}`,
        });
      else owners.set(route, operation);
    }
  }
}

interface Node<T> {
  steps: Map<string, Node<T>>;
  any?: Node<T>;
  methods: Map<string, { target: T; names: string[] }>;
}

/** Routes by path steps: literal steps win over parameters, whatever the order they were added in. */
export class RouteTable<T> {
  readonly #root: Node<T> = { steps: new Map(), methods: new Map() };

  add(method: string, path: string, target: T): void {
    let node = this.#root;
    const names: string[] = [];
    for (const step of path.split('/').slice(1)) {
      if (step.startsWith('{')) {
        names.push(step.slice(1, -1));
        node.any ??= { steps: new Map(), methods: new Map() };
        node = node.any;
      } else {
        const next: Node<T> = node.steps.get(step) ?? { steps: new Map(), methods: new Map() };
        node.steps.set(step, next);
        node = next;
      }
    }
    node.methods.set(method, { target, names });
  }

  /** @param path as requested; steps are percent-decoded, a step that cannot be decoded matches nothing */
  match(path: string): { values: string[]; methods: Node<T>['methods'] } | undefined {
    const steps: string[] = [];
    for (const raw of path.replace(/\/$/, '').split('/').slice(1)) {
      try {
        steps.push(raw.includes('%') ? decodeURIComponent(raw) : raw);
      } catch {
        return undefined;
      }
    }
    return steps.length > 32 ? undefined : find(this.#root, steps, 0, []);
  }

  /** True when some path starts with this first step: the table answers for everything below it. */
  owns(path: string): boolean {
    const first = path.split('/')[1] ?? '';
    return this.#root.steps.has(first);
  }
}

function find<T>(
  node: Node<T>,
  steps: string[],
  at: number,
  values: string[],
): { values: string[]; methods: Node<T>['methods'] } | undefined {
  if (at === steps.length) return node.methods.size > 0 ? { values, methods: node.methods } : undefined;
  const step = steps[at] as string;
  const literal = node.steps.get(step);
  const found = literal && find(literal, steps, at + 1, values);
  if (found) return found;
  return node.any && step !== '' ? find(node.any, steps, at + 1, [...values, step]) : undefined;
}
