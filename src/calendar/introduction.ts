/** The general description of the document: what all operations have in common. Markdown; `/doc` folds its chapters. */
export const INTRODUCTION = `An event calendar: events, venues, organizers, categories, tags and images, in several languages and time zones.

## Getting started

Paste these lines into a shell. Replace the address by that of your server, and the credentials by your own.

\`\`\`sh
API=https://calendar.example/calendar/events/v1
AUTH='admin:abcd EFGH ijkl MNOP qrst UVWX'

# 1. Read what is published. Nobody needs to sign in for that.
curl "$API/events?per_page=3&_fields=events.title,events.start_date"

# 2. Sign in with a login and an application password.
curl -u "$AUTH" "$API/events?status=any&per_page=3"

# 3. Create an event.
curl -u "$AUTH" "$API/events" -H 'Content-Type: application/json' \\
  -d '{"title": "First event", "start_date": "tomorrow", "end_date": "tomorrow", "all_day": true}'
\`\`\`

## Signing in

Published records are readable without credentials. Everything else requires one of these:

- HTTP Basic with a login and an application password. Spaces in the password are ignored.
- A Bearer token: \`Authorization: Bearer alm_...\`. Tokens may expire, and have scopes.
- In pages of the service, \`Authorization: Session\` with the ID of the user, beside the cookie that \`POST /session/cookie\` sets.

Wrong credentials are 401 everywhere, also for public reads. The operator creates users and tokens with \`almanac user add\` and \`almanac token create\`, and administrators with the operations below *Users*.

## Roles and scopes

Each role has all rights of the roles before it.

| Role | Rights |
|---|---|
| subscriber | reads what is published |
| contributor | creates drafts, reads and changes its own unpublished records |
| author | publishes, changes and deletes its own records, uploads images, edits categories |
| editor | reads, changes and deletes the records of all, edits tags, imports files |
| administrator | manages users, tokens and webhooks |

The scopes of a token are \`read\`, \`write\`, and \`admin\` for users, tokens and webhooks. A token never has more rights than its user.

## Dates and time zones

Responses have dates as \`YYYY-MM-DD HH:MM:SS\`. \`start_date\` and \`end_date\` are local times in the \`timezone\` of the event; \`date\` and \`modified\` are in the site time zone. Members with \`utc\` in their name hold the same times in UTC.

Requests may also use a date alone, ISO 8601, unix seconds, or words such as \`tomorrow\` and \`+3 days\`. A date with an offset or \`Z\` is converted to the time zone of the event; one without is local time. An all-day event lasts from 00:00:00 to 23:59:59.

## Default dates of lists

Without date filters, \`GET /events\` covers yesterday to the day 24 months from now, in the site time zone. \`start_date\` and \`end_date\` each replace one end of these dates. \`starts_before\`, \`starts_after\`, \`ends_before\`, \`ends_after\`, \`when\` and \`include\` lift both ends; \`include\` also lifts every other date filter.

Date filters apply to the local time of each event, and to whole days. \`starts_before\` and \`ends_before\` include the day given, except its last second; \`starts_after\` and \`ends_after\` begin with the next day. With \`strict_dates=true\`, times are used exactly, and none of the four includes the second given.

## Lists and pages

A list has \`total\`, \`total_pages\` and the entries of one page. Follow \`next_rest_url\` until it is absent to read every match exactly once. A page beyond the last one is 404. The headers \`X-TEC-Total\`, \`X-TEC-TotalPages\`, \`X-WP-Total\`, \`X-WP-TotalPages\` and \`Link\` say the same.

Separate several values of a parameter by commas, or repeat it. \`_fields\` selects the members to return.

## Languages

Every record has a language; \`translations\` has the IDs of its translations. Select a language with \`i18n_language\`, or with a path that starts with \`/ca\`, \`/en\` or \`/es\`. A list then contains only records in this language. A read, update or delete applies to the translation of the record, if there is one. In a body, \`i18n_language\` sets the language of the record.

Facts, such as dates, venue, price and status, mean the same in every language. A new translation (\`translation_of\`) takes those that it does not send, and a write with \`translations=all\` applies them to all translations. \`X-Translations-Differ\` tells callers who may edit a record which facts differ.

## Bodies and values

A body is JSON, \`application/x-www-form-urlencoded\` with bracket syntax, or \`multipart/form-data\`. Forms have only text, so booleans (in any case) and numbers are read from their text as well, and a list from one text with commas. PATCH, PUT and POST of a record do the same: they change the fields that are sent and keep the others. \`null\` or an empty string clears an optional field.

Responses contain no nulls. A member without a value is absent or is \`""\`, \`false\` or \`[]\`.

What is unknown is ignored, and named in a header of the response: parameters in \`X-Ignored-Parameters\`, fields of the body in \`X-Ignored-Fields\`, also inside venues and organizers (\`venue.adress\`). \`X-Created-Terms\` names the categories and tags that a write created.

A slug in a path may be written as in the response, percent-encoded again, decoded, or as any text that results in the same slug. A POST with \`?_method=\` or the header \`X-HTTP-Method-Override\` acts as the method that it names.

## Errors

Every error has the form \`{"code": "rest_invalid_param", "message": "...", "data": {"status": 400}}\`. Programs should check \`code\`; \`message\` says to people what is wrong and what would be accepted. \`data.params\` names every invalid parameter. The header \`X-Request-Id\` identifies the request in the log of the server.

All operations may return 401 for wrong credentials, 429 for too many requests, 500 for an unexpected error and 503 if the service is overloaded. Writes may also return 503 while the database is busy or read-only, and 507 if the disk is full. Try again after the seconds in \`Retry-After\`.

## Caching and conditional requests

Reads of records and lists have an \`ETag\`, which is weak if the response is compressed. Send it in \`If-None-Match\`: the response is 304 without a body if nothing has changed. \`If-Modified-Since\` works for responses with \`Last-Modified\`. \`Cache-Control\` is \`public\` for anonymous reads, \`private\` with credentials, and \`no-store\` with the password of an event.

Send the \`ETag\` of a read in \`If-Match\` of an update or delete to keep editors from overwriting each other's changes. If the record has changed since, the response is 412 with the current \`ETag\`, and nothing is written. Use the ETag of a read of the same URL by the same user, without \`_fields\`.

## Rate limits

The operator may limit the requests of one client per minute. Then responses have \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`, in requests and seconds. Beyond the limit, and after too many failed logins, the response is 429 with \`Retry-After\`.

Any web page may read. Pages of other origins may write only if the operator allows it; \`Access-Control-Allow-Origin\` says so.`
