export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const

/** What a member may do in the console. Requests with a credential do not depend on it. */
export type Role = (typeof ROLES)[number]

export const PLATFORM_ROLES = ['support', 'operator'] as const

/** What an account may do for the whole service. */
export type PlatformRole = (typeof PLATFORM_ROLES)[number]
