export const TOP_UP = 'GET /organizations/{organization}/automatic-top-up'
