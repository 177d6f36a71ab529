/** Somebody who has proved who they are. */
export interface Person {
  id: string;
  companyId: string;
  name: string;
}
