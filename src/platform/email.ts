import { domainToASCII } from 'node:url';
import { composed, foldText } from './fold.ts';

/**
 * The characters that RFC 5322 and 6531 allow before the @ without quotes, and in names of hosts after it: nothing invisible, and no `<` or
 * `,`.
 */
const EMAIL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}@(?!\.)(?!\S*\.\.)[A-Za-z\d_.-]{1,180}\.[A-Za-z\d-]{2,63}$/u;
/** A domain with letters beyond ASCII. In ASCII, any other character would be read as a part of a URL and cut off. */
const LETTERS_OF_A_DOMAIN = /^[A-Za-z\d_.-]*[^\0-\x7f][A-Za-z\d_.\x80-\u{10ffff}-]*$/u;

/** True for what looks like an e-mail address and has the form in which addresses are kept, see `asAddress`. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/**
 * An e-mail address in the form in which it is kept, and to which mails are sent. A letter with its accent equals the letter followed by
 * the accent, and a domain has the form that name servers know (`münchen.example` is `xn--mnchen-3ya.example`). A text that is not a domain
 * stays as it is, and is not an address.
 */
export function asAddress(text: string): string {
  const whole = composed(text.trim());
  const from = whole.lastIndexOf('@') + 1;
  return from > 0 ? whole.slice(0, from) + inAscii(whole.slice(from)) : whole;
}

/**
 * The form in which e-mail addresses are compared and counted; anything else that somebody signs in with is folded as a text. Two addresses
 * are the same if and only if this form is. Mails never go to this form: they go to the address that was entered and is kept.
 */
export function foldEmail(text: string): string {
  return foldText(asAddress(text));
}

/** A domain as it is kept and compared. What is no domain stays, folded, and is none. */
export function foldDomain(text: string): string {
  return foldText(inAscii(composed(text.trim())));
}

/** Only for a domain with other letters, because one of digits alone would be read as the numbers of a host. */
function inAscii(domain: string): string {
  return (LETTERS_OF_A_DOMAIN.test(domain) && domainToASCII(domain)) || domain;
}
