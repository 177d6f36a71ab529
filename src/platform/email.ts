import { domainToASCII } from 'node:url';

/** What RFC 5322 and 6531 allow before the sign without quotes, and names of hosts behind it: nothing that cannot be seen, and no `<` or `,`. */
const EMAIL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}@(?!\.)(?!\S*\.\.)[A-Za-z\d_.-]{1,180}\.[A-Za-z\d-]{2,63}$/u;

/** True for what looks like an e-mail address and has the form in which addresses are kept, see `asAddress`. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}

/**
 * An e-mail address as it is kept and looked for: one letter with its accent is the same as the letter followed by it, and a domain is
 * what name servers are asked for (`münchen.example` is `xn--mnchen-3ya.example`). What is no domain stays, and is no address.
 */
export function asAddress(text: string): string {
  const whole = text.trim().normalize('NFC');
  const from = whole.lastIndexOf('@') + 1;
  const domain = whole.slice(from);
  // Only then, because a domain of digits alone would be read as numbers of a host.
  return from > 0 && /[^\0-\x7f]/.test(domain) ? whole.slice(0, from) + (domainToASCII(domain) || domain) : whole;
}
