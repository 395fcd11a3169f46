export const roles = {
  names: { viewer: 'Viewer', member: 'Member', admin: 'Admin', owner: 'Owner' },
  /** In a sentence. */
  as: { viewer: 'a viewer', member: 'a member', admin: 'an admin', owner: 'an owner' },
  may: {
    viewer: 'Sees everything but settings; changes nothing, sends no requests',
    member: 'Has own keys and the playground; sees own usage',
    admin: 'Keys of all, projects, members, spending alerts',
    owner: 'Also retention, sign-in, management keys, support',
  },
} as const
