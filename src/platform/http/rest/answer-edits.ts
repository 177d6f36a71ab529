import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/** A word that clients of the contract do not know, the one they get in its place, if there is one, and the preference of those who know it. */
export interface Word {
  value: string;
  by?: string;
  unless: string;
}

/** Where the answer of a document differs from the result of its execution. */
export interface AnswerEdits {
  /** Fields that are left out while they are null (`@omitNull`), or while another field is: its name. */
  omitted: Map<string, string>;
  /** Fields with a word that not everybody knows (`@word`). */
  words: Map<string, Word>;
  /** Fields whose decimal is answered as a number (`@number`). */
  numbers: Set<string>;
  /** Fields with objects in which there are such fields. */
  inside: Map<string, AnswerEdits>;
}

/** Returns the edits that a document asks for; undefined if it asks for none. */
export function editsOf(document: DocumentNode): AnswerEdits | undefined {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [])),
  );
  const [operation] = document.definitions as [OperationDefinitionNode];
  return inSelection(operation.selectionSet, fragments);
}

// Documents share their fragments, which are looked at once.
const known = new WeakMap<SelectionSetNode, { found: AnswerEdits | undefined }>();

function inSelection(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): AnswerEdits | undefined {
  const before = known.get(set);
  if (before) return before.found;
  let found: AnswerEdits | undefined;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) found = merged(found, ofField(selection, fragments));
    else {
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection.selectionSet : fragments.get(selection.name.value)?.selectionSet;
      found = merged(found, inner && inSelection(inner, fragments));
    }
  }
  known.set(set, { found });
  return found;
}

function ofField(field: FieldNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): AnswerEdits | undefined {
  const key = (field.alias ?? field.name).value;
  const omitNull = argumentsOf(field, 'omitNull');
  const word = wordOf(field);
  const number = argumentsOf(field, 'number');
  const inner = field.selectionSet && inSelection(field.selectionSet, fragments);
  if (!omitNull && !word && !number && !inner) return undefined;
  return {
    omitted: new Map(omitNull ? [[key, (omitNull.with as string | undefined) ?? key]] : []),
    words: new Map(word ? [[key, word]] : []),
    numbers: new Set(number ? [key] : []),
    inside: new Map(inner ? [[key, inner]] : []),
  };
}

/** Returns the word of ours that a field may have, and the one that clients of the contract get; undefined without `@word`. */
export const wordOf = (field: FieldNode): Word | undefined => argumentsOf(field, 'word') as Word | undefined;

function argumentsOf({ directives }: { directives?: readonly DirectiveNode[] }, name: string): Record<string, unknown> | undefined {
  const directive = directives?.find((one) => one.name.value === name);
  return directive && Object.fromEntries((directive.arguments ?? []).map((one) => [one.name.value, valueFromASTUntyped(one.value)]));
}

/** Both together, in a new object: those of fragments are shared. */
function merged(a: AnswerEdits | undefined, b: AnswerEdits | undefined): AnswerEdits | undefined {
  if (!a || !b) return a ?? b;
  const inside = new Map(a.inside);
  for (const [key, inner] of b.inside) inside.set(key, merged(inside.get(key), inner)!);
  return {
    omitted: new Map([...a.omitted, ...b.omitted]),
    words: new Map([...a.words, ...b.words]),
    numbers: new Set([...a.numbers, ...b.numbers]),
    inside,
  };
}

type Edit = (record: Record<string, unknown>, prefers: (preference: string) => boolean) => void;
const compiled = new WeakMap<AnswerEdits, Edit>();

/**
 * Edits a result in place. Nulls that are left out become undefined, which JSON does not write: that is faster than to delete them.
 * @param prefers whether the client has a preference, such as `waypoints=all`
 */
export function applyEdits(result: unknown, edits: AnswerEdits, prefers: (preference: string) => boolean): void {
  if (typeof result !== 'object' || result === null) return;
  const edit = editOf(edits);
  if (!Array.isArray(result)) edit(result as Record<string, unknown>, prefers);
  else for (const one of result) applyEdits(one, edits, prefers);
}

/** The edits of one object as a function, compiled once: to look at the fields one by one took a twentieth of what a page takes. */
function editOf(edits: AnswerEdits): Edit {
  const known = compiled.get(edits);
  if (known) return known;
  const { omitted, words, numbers, inside } = edits;
  const inner: AnswerEdits[] = [];
  const of = (key: string) => `r[${JSON.stringify(key)}]`;
  const code = [
    ...[...omitted].map(([key, witness]) => `if ((${of(witness)} ?? null) === null) ${of(key)} = undefined;`),
    ...[...words].map(
      ([key, { value, by, unless }]) =>
        `if (${of(key)} === ${JSON.stringify(value)} && !p(${JSON.stringify(unless)})) ${of(key)} = ${by === undefined ? 'undefined' : JSON.stringify(by)};`,
    ),
    ...[...numbers].map((key) => `if (typeof ${of(key)} === "string") ${of(key)} = Number(${of(key)});`),
    ...[...inside].map(([key, one]) => `apply(${of(key)}, inner[${inner.push(one) - 1}], p);`),
  ];
  const edit = new Function('apply', 'inner', `return function (r, p) { ${code.join('\n')} }`)(applyEdits, inner) as Edit;
  compiled.set(edits, edit);
  return edit;
}
