import { domainToASCII } from 'node:url';
import { composed, foldText } from './fold.ts';

/** What RFC 5322 and 6531 allow before the sign without quotes, and names of hosts behind it: nothing that cannot be seen, and no `<` or `,`. */
const EMAIL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}@(?!\.)(?!\S*\.\.)[A-Za-z\d_.-]{1,180}\.[A-Za-z\d-]{2,63}$/u;
/** Of a domain with letters beyond ASCII; anything else in ASCII would be read as a piece of a URL, and cut off. */
const LETTERS_OF_A_DOMAIN = /^[A-Za-z\d_.-]*[^\0-\x7f][A-Za-z\d_.\x80-\u{10ffff}-]*$/u;

/** True for what looks like an e-mail address and has the form in which addresses are kept, see `asAddress`. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/**
 * An e-mail address as it is kept, and as a mail is sent to it: one letter with its accent is the same as the letter followed by it, and a
 * domain is what name servers are asked for (`münchen.example` is `xn--mnchen-3ya.example`). What is no domain stays, and is no address.
 */
export function asAddress(text: string): string {
  const whole = composed(text.trim());
  const from = whole.lastIndexOf('@') + 1;
  return from > 0 ? whole.slice(0, from) + inAscii(whole.slice(from)) : whole;
}

/**
 * What an e-mail address is compared and counted by; anything else that somebody signs in with is folded as a text. Two addresses are one
 * when this is the same of both, and only then. No mail goes there: mails go to the address that somebody entered and that is kept.
 */
export function foldEmail(text: string): string {
  return foldText(asAddress(text));
}

/** A domain as it is kept and compared. What is no domain stays, folded, and is none. */
export function foldDomain(text: string): string {
  return foldText(inAscii(composed(text.trim())));
}

/** Only of a domain that has other letters, because one of digits alone would be read as numbers of a host. */
function inAscii(domain: string): string {
  return (LETTERS_OF_A_DOMAIN.test(domain) && domainToASCII(domain)) || domain;
}
