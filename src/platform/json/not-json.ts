import { visit } from 'jsonc-parser';
import { BadRequest } from '../errors.ts';

/** Thrown to read no further. */
const FOUND = new Error('found');

/** The answer to a body that JSON.parse refused: where it stops being JSON, counted from 1. */
export function notJson(text: string): BadRequest {
  let place: { line: number; column: number } | undefined;
  const onError = (_code: unknown, _at: number, _length: number, line: number, column: number) => {
    place = { line: line + 1, column: column + 1 };
    throw FOUND;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    // Brackets that never end go deeper than a stack.
    if (error !== FOUND && !(error instanceof RangeError)) throw error;
  }
  return place ? new BadRequest('body_not_json_at', place) : new BadRequest('body_not_json');
}
