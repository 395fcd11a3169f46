export const password = { show: 'Show password', hide: 'Hide password' } as const
