import type { SchemaFormat, ToolFunction } from './read-json.ts'

export const TOOL_EXAMPLE: ToolFunction = {
  name: 'get_water_level',
  description: 'The level of a river at a station, in metres.',
  parameters: {
    type: 'object',
    properties: { station: { type: 'string' } },
    required: ['station'],
    additionalProperties: false,
  },
}

export const SCHEMA_EXAMPLE: SchemaFormat = {
  name: 'city',
  strict: true,
  schema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      country: { type: 'string' },
      population: { type: 'integer', minimum: 0 },
    },
    required: ['city', 'country', 'population'],
    additionalProperties: false,
  },
}
