export const ROLES = ['owner', 'admin', 'member'] as const

/** What a member may do in the console. Requests with a credential do not depend on it. */
export type Role = (typeof ROLES)[number]
