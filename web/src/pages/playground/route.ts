import { getRouteApi } from '@tanstack/react-router'

export const route = getRouteApi('/app/o/$slug/playground')
