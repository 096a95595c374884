import { Type } from '@sinclair/typebox'

export const Preview = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      description: 'Address of the page, which needs no credentials. Whoever has it sees the event.',
    }),
    expires_utc: Type.String({
      description: 'When the address stops working, in UTC: `YYYY-MM-DD HH:MM:SS`.',
    }),
  },
  { $id: 'Preview', description: 'The address of the page of an event before visitors see it.' },
)
