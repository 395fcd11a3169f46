export const goTo = {
  title: 'Go to',
  placeholder: 'Page, project, key or request id',
  groups: {
    request: 'Request',
    pages: 'Pages',
    keys: 'Keys',
    projects: 'Projects',
    organizations: 'Organizations',
    operator: 'Operator',
  },
  request: (id: string) => `Request ${id}`,
  nothing: 'Nothing was found.',
  results: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  hints: [
    ['↑ ↓', 'choose'],
    ['Enter', 'go'],
    ['Esc', 'close'],
  ],
} as const
