import { Type } from '@sinclair/typebox'

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'Machine-readable error code.', examples: ['rest_invalid_param'] }),
    message: Type.String({
      description: 'Explanation for people: what is wrong, and what would be accepted.',
    }),
    data: Type.Object(
      {
        status: Type.Integer({ description: 'HTTP status code.' }),
        params: Type.Optional(
          Type.Union([Type.Record(Type.String(), Type.String()), Type.Array(Type.String())], {
            description: 'Invalid parameters by name, with the reason; or a list of the missing ones.',
          }),
        ),
        details: Type.Optional(
          Type.Object(
            {},
            { additionalProperties: true, description: 'Always empty; kept for WordPress clients.' },
          ),
        ),
        retry_after: Type.Optional(
          Type.Integer({ description: 'Seconds to wait before the next attempt, as in `Retry-After`.' }),
        ),
        term_id: Type.Optional(
          Type.Integer({ description: 'ID of the term that has this name already, with `term_exists`.' }),
        ),
        request_id: Type.Optional(
          Type.String({ description: 'ID of the request in the log, with `internal_server_error`.' }),
        ),
      },
      { additionalProperties: true, description: 'Details of the error.' },
    ),
  },
  { $id: 'ErrorBody', description: 'The body of every response with status 400 or above.' },
)
