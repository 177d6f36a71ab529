/** The kind of an address by which somebody is reached, and signs in. */
export type Address = 'email' | 'phone';

/**
 * The condition that an address may sign its person in. Another company that entered it (an invitation, managing) may have entered one of
 * its own. It is proven by signing in by it, or by being saved again by the person or an administrator of theirs. Until then it is good for
 * the first sign-in, as invitations are, and no longer once the person has signed in by other means.
 * @param person the alias of `app_user`
 */
export const signsInBy = (person: string, address: Address): string => `(${person}.${address}_proven or ${person}.last_login_at is null)`;
