export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const

/** What a member may do in the console. Of requests it decides only that viewers make none. */
export type Role = (typeof ROLES)[number]

export const PLATFORM_ROLES = ['support', 'operator'] as const

/** What an account may do for the whole service. */
export type PlatformRole = (typeof PLATFORM_ROLES)[number]
