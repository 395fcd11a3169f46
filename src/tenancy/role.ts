export const ROLES = ['owner', 'admin', 'member'] as const

/** What a member may do in the console. Roles play no part when a credential is used. */
export type Role = (typeof ROLES)[number]
