import { Lexer, Source, type Token, TokenKind } from 'graphql';

/**
 * Limits of a document's text, found from its tokens alone. Validation compares fields pair by pair, so its time grows with the square of
 * what these limits allow. The largest document of ours has 1,000 tokens, nests 4 deep and has 22 fragments.
 */
export const SHAPE = {
  characters: 100_000,
  tokens: 3_000,
  /** Brackets of any kind inside each other: selections, arguments, literals, list types. */
  nesting: 40,
  directives: 60,
  /** Operations and fragments. */
  definitions: 60,
  /** Inline fragments and spreads. */
  spreads: 400,
  /** Names that are repeated inside one pair of braces. */
  repeated: 100,
};

export type Shape = Record<keyof typeof SHAPE, number>;

export interface Excess {
  measure: keyof typeof SHAPE;
  asked: number;
  most: number;
}

/**
 * Reports which limit a document exceeds. It takes one pass over the text without recursion, so that nothing starts that costs more than
 * the text is long. A text that is not GraphQL passes: the parser explains better what is wrong with it.
 */
export function excessOf(text: string): Excess | undefined {
  const tally = new Tally(text);
  // Before the first token: an endless string is one.
  if (text.length > SHAPE.characters) return tally.excess();
  const lexer = new Lexer(new Source(text));
  try {
    while (lexer.advance().kind !== TokenKind.EOF) {
      tally.add(lexer.token);
      const found = tally.excess();
      if (found) return found;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

const OPENING: readonly string[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const CLOSING: readonly string[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

class Tally {
  readonly #shape: Shape;
  /** Names seen inside each open bracket. */
  readonly #open: Set<string>[] = [];
  /** The last three tokens, newest first; comments are none. */
  #before: Token[] = [];

  constructor(text: string) {
    this.#shape = { characters: text.length, tokens: 0, nesting: 0, directives: 0, definitions: 0, spreads: 0, repeated: 0 };
  }

  excess(): Excess | undefined {
    for (const measure of Object.keys(SHAPE) as (keyof typeof SHAPE)[]) {
      if (this.#shape[measure] > SHAPE[measure]) return { measure, asked: this.#shape[measure], most: SHAPE[measure] };
    }
    return undefined;
  }

  add(token: Token): void {
    const shape = this.#shape;
    shape.tokens++;
    if (OPENING.includes(token.kind)) {
      if (token.kind === TokenKind.BRACE_L && this.#open.length === 0) shape.definitions++;
      // The selection of an inline fragment is merged with its surroundings, so its names are counted with theirs.
      this.#open.push((token.kind === TokenKind.BRACE_L && this.#isInline() && this.#open.at(-1)) || new Set());
      shape.nesting = Math.max(shape.nesting, this.#open.length);
    } else if (CLOSING.includes(token.kind)) this.#open.pop();
    else if (token.kind === TokenKind.AT) shape.directives++;
    else if (token.kind === TokenKind.SPREAD) shape.spreads++;
    else if (token.kind === TokenKind.NAME) this.#name(token);
    this.#before = [token, ...this.#before.slice(0, 2)];
  }

  #name(token: Token): void {
    const names = this.#open.at(-1);
    const [last] = this.#before;
    // Neither the field behind an alias nor the type of an inline fragment is a name in the answer.
    if (!names || last?.kind === TokenKind.COLON || last?.value === 'on') return;
    if (names.has(token.value)) this.#shape.repeated++;
    else names.add(token.value);
  }

  /**
   * Whether the next brace opens an inline fragment. Fragments with a directive do not count; there are few, because directives are
   * limited.
   */
  #isInline(): boolean {
    const [last, second, third] = this.#before;
    return last?.kind === TokenKind.SPREAD || (second?.value === 'on' && third?.kind === TokenKind.SPREAD);
  }
}
