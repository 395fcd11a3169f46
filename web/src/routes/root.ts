import { createRootRoute, createRoute } from '@tanstack/react-router'
import { Frame } from '../shell/frame.tsx'
import { NotFound, Root } from '../shell/root.tsx'

export const root = createRootRoute({ component: Root, notFoundComponent: NotFound })

/** The pages that need a session, in the frame with the sidebar. */
export const app = createRoute({ getParentRoute: () => root, id: 'app', component: Frame })
