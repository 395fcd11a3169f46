import { createRoute, createRouter } from '@tanstack/react-router'
import { BASE } from './api/place.ts'
import { accountRoutes } from './routes/account.ts'
import { entryRoutes } from './routes/entry.ts'
import { operatorRoutes } from './routes/operator.ts'
import { organizationRoutes } from './routes/organization.ts'
import { app, root } from './routes/root.ts'
import { PageSkeleton } from './shell/frame.tsx'
import { lazyPage } from './shell/lazy-page.ts'
import { Crashed } from './shell/root.tsx'
import { parseSearch, stringifySearch } from './shell/search.ts'

// Every page of the console is in routes/. A page's code is loaded when somebody goes to it.

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: lazyPage(() => import('./pages/home/home-page.tsx'), 'HomePage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    ...entryRoutes,
    app.addChildren([home, organizationRoutes, accountRoutes, operatorRoutes]),
  ]),
  basepath: BASE === '' ? '/' : BASE,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: Crashed,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
