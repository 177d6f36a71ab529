interface Table {
  model: string;
  states: readonly string[];
  initial: readonly string[];
  terminal: readonly string[];
  events: Record<string, readonly { from: readonly string[]; to: string | Function; among?: readonly string[]; guard?: Function }[]>;
  internal?: readonly string[];
  reversals?: readonly string[];
}

/**
 * Proves of a state table: every named state exists; every state is reached from an initial one; a terminal state is left
 * by reversals only and every other state can reach a terminal one (where there are any); no arrow is hidden behind an unguarded one of the same event.
 * @throws Error with all findings
 */
export function verifyMachine(table: Table): void {
  const findings: string[] = [];
  const known = new Set(table.states);
  const next = new Map<string, Set<string>>(table.states.map((s) => [s, new Set()]));
  const named = (state: string, where: string) => {
    if (!known.has(state)) findings.push(`${where} names the unknown state ${state}`);
  };
  for (const state of table.initial) named(state, 'initial');
  for (const state of table.terminal) named(state, 'terminal');
  if (table.initial.length === 0) findings.push('there is no initial state');
  for (const event of [...(table.internal ?? []), ...(table.reversals ?? [])])
    if (!table.events[event]) findings.push(`internal names the unknown event ${event}`);

  for (const [event, arrows] of Object.entries(table.events)) {
    const settled = new Set<string>();
    if (arrows.length === 0) findings.push(`${event} leads nowhere`);
    for (const { from, to, among, guard } of arrows) {
      if (typeof to === 'function' && !among?.length) findings.push(`${event} has a computed target and does not list what it is among`);
      const targets = typeof to === 'function' ? (among ?? []) : [to];
      for (const target of targets) named(target, event);
      for (const state of from) {
        named(state, event);
        if (settled.has(state)) findings.push(`${event} from ${state} is hidden behind an arrow without a guard`);
        if (!guard) settled.add(state);
        if (table.terminal.includes(state) && !table.reversals?.includes(event))
          findings.push(`${event} leaves the terminal state ${state}`);
        for (const target of targets) next.get(state)?.add(target);
      }
    }
  }

  const reached = reach(table.initial, next);
  for (const state of table.states) if (!reached.has(state)) findings.push(`${state} cannot be reached`);
  if (table.terminal.length > 0) {
    for (const state of table.states) {
      if (!table.terminal.some((end) => reach([state], next).has(end))) findings.push(`${state} can never end`);
    }
  }
  if (findings.length > 0) throw new Error(`the state table of ${table.model} is wrong: ${findings.join('; ')}`);
}

function reach(from: readonly string[], next: Map<string, Set<string>>): Set<string> {
  const reached = new Set(from);
  for (const state of reached) for (const target of next.get(state) ?? []) reached.add(target);
  return reached;
}
